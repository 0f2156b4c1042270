package dev.monotick.micrometer;

import dev.monotick.checks.ArchitectureRules;

class ArchitectureTest extends ArchitectureRules {}
