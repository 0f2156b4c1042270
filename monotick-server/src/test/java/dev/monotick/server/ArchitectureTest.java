package dev.monotick.server;

import dev.monotick.architecture.ArchitectureRules;

class ArchitectureTest extends ArchitectureRules {}
