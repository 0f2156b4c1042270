package dev.monotick.jackson;

import dev.monotick.checks.ArchitectureRules;

class ArchitectureTest extends ArchitectureRules {}
