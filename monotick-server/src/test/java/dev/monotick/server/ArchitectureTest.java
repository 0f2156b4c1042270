package dev.monotick.server;

import dev.monotick.checks.ArchitectureRules;

class ArchitectureTest extends ArchitectureRules {}
