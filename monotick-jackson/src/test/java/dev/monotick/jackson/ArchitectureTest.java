package dev.monotick.jackson;

import dev.monotick.architecture.ArchitectureRules;

class ArchitectureTest extends ArchitectureRules {}
