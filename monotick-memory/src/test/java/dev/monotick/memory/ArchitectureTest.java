package dev.monotick.memory;

import dev.monotick.checks.ArchitectureRules;

/** The rules of every module. */
class ArchitectureTest extends ArchitectureRules {}
