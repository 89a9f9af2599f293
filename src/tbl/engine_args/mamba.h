/* MambaConfig: state-space models. Rows: see tbl/engine_args.h. */
ARG(STRING, VALUE, CURRENT, mamba_backend, "--mamba-backend", "triton", -INF, INF,
    "Implementation of the Mamba state update")
ARG(ENUM, VALUE, CURRENT, mamba_ssu_algorithm, "--mamba-ssu-algorithm", null, -INF, INF,
    "Algorithm of the Mamba state update",
    .nullable = true, .choices = ARG_JSON(["auto", "horizontal", "simple", "vertical"]),
    .choices_origin = "flag")
ARG(BOOL, TOGGLE, CURRENT, enable_mamba_cache_stochastic_rounding,
    "--enable-mamba-cache-stochastic-rounding", false, -INF, INF,
    "Round Mamba states stochastically when stored",
    .negative_flag = "--no-enable-mamba-cache-stochastic-rounding",
    .negative_aliases = "--disable-mamba-cache-stochastic-rounding")
ARG(INT, VALUE, CURRENT, mamba_cache_philox_rounds, "--mamba-cache-philox-rounds", 0, 0, INF,
    "Philox rounds of the random numbers for that rounding")
