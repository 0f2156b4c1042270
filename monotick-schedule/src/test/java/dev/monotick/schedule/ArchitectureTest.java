package dev.monotick.schedule;

import dev.monotick.checks.ArchitectureRules;

/** The rules of every module. */
class ArchitectureTest extends ArchitectureRules {}
