package dev.monotick.micrometer;

import dev.monotick.architecture.ArchitectureRules;

class ArchitectureTest extends ArchitectureRules {}
