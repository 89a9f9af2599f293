#pragma once

/* The text of configs/examples/sweeps/demo.yaml. */
extern const char cli_demo_experiment[];
