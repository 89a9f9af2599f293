"""What AddressSanitizer skips in `make test`: tests whose C code runs under it elsewhere, too.

`make test` runs them without a sanitizer in its scenario stage, `make test-long` also under AddressSanitizer.
"""

# Tests of texts, of tables from the rows, and of statistics: file -> unit tests that run the same code under AddressSanitizer.
FILES = {
    "configuration/test_bench_commands.py": "tests/unit/vllm/bench",
    "configuration/test_command_lines.py": "tests/unit/vllm/command",
    "configuration/test_config_command.py": "tests/unit/vllm/command",
    "configuration/test_experiment_file.py": "tests/unit/experiment",
    "configuration/test_experiment_schema.py": "tests/unit/schema",
    "configuration/test_known_models.py": "tests/unit/vllm/rules.c",
    "configuration/test_new_release.py": "tests/unit/vllm/help_diff.c",
    "configuration/test_params.py": "tests/unit/vllm/help_text.c",
    "configuration/test_releases.py": "tests/unit/vllm/history.c",
    "configuration/test_rules_spec.py": "tests/unit/vllm/rules.c",
    "configuration/test_schema.py": "tests/unit/schema",
    "configuration/test_switch_senses.py": "tests/unit/vllm/flag_sense.c",
    "configuration/test_upgrade.py": "tests/unit/vllm/replaced.c",
    "configuration/test_validate_real.py": "tests/unit/vllm/command",
    "configuration/test_vllm_rules.py": "tests/unit/vllm/rules.c",
    "programs/test_bench_help.py": "tests/unit/cli/commands.c",
    "programs/test_change_numpy.py": "tests/unit/result/change",
    "programs/test_compare_numpy.py": "tests/unit/result/compare",
    "programs/test_completion.py": "tests/unit/cli/commands.c",
    "programs/test_docs_commands.py": "tests/unit/cli/commands.c",
    "programs/test_docs_from_vllm.py": "tests/unit/vllm/bench",
    "programs/test_man.py": "tests/unit/cli/commands.c",
    "programs/test_match_numpy.py": "tests/unit/result/match",
    "programs/test_perf_tools.py": "tests/unit/bench",
}

# Long histories, repeated runs and long waits: file -> functions. Other functions of the same file, with fewer results or
# runs, run the same code under AddressSanitizer.
FUNCTIONS = {
    "configuration/test_pasted_forms.py": ["test_words_are_those_of_a_real_shell"],
    "dash/test_analysis.py": [
        "test_a_history_of_forty_configurations", "test_changes_within_a_release_are_incidents_with_causes",
        "test_a_new_result_analyzes_its_own_series_only", "test_the_same_data_give_the_same_bytes",
        "test_a_short_budget_continues_with_the_next_request"],
    "dash/test_artifacts.py": ["test_import"],
    "dash/test_change.py": ["test_another_process_is_followed"],
    "dash/test_command.py": ["test_every_example_pasted_back"],
    "dash/test_decisions.py": ["test_the_number_of_decisions_has_a_limit"],
    "dash/test_demo.py": ["test_a_terminal_has_a_bar"],
    "dash/test_duplicates.py": ["test_import_says_the_same"],
    "dash/test_export.py": ["test_clients_that_leave_hold_nothing_up"],
    "dash/test_jobs.py": ["test_abandoned_uploads_are_forgotten"],
    "dash/test_live.py": ["test_the_longest_texts_of_all_runs_fit_into_the_list"],
    "dash/test_live_run.py": [
        "test_each_run_of_a_sweep_is_a_live_run_of_its_own", "test_a_drain_is_a_phase_of_its_own_and_a_paused_run_does_not_catch_up",
        "test_a_dashboard_that_refuses_or_is_slow_costs_one_warning"],
    "dash/test_migrate.py": ["test_filling_of_many_results_reports_its_progress", "test_columns_and_statuses_of_form_13_are_renamed"],
    "dash/test_prepared.py": [
        "test_a_restart_reads_the_prepared_files", "test_files_of_others_are_not_removed", "test_a_damaged_artifact_that_was_sent_again"],
    "dash/test_sql.py": ["test_responses_during_changes_are_snapshots"],
    "dash/test_sweeps.py": ["test_a_directory_identifies_its_sweep"],
    "dash/test_watches.py": ["test_a_receiver_that_does_not_respond_delays_no_state"],
    "life/test_echoed_secrets.py": ["test_in_no_place_after_a_failure"],
    "life/test_ends_faults.py": ["test_hang"],
    "life/test_launch_causes.py": ["test_each_of_80_launches_has_its_cause_line_and_hint"],
    "life/test_recover.py": [
        "test_finished_requests_stay", "test_the_journal_holds_the_lines_of_the_requests_file",
        "test_a_result_that_cannot_be_written_leaves_the_journal"],
    "life/test_run_ends.py": ["test_client_held_down_is_not_trusted"],
    "life/test_run_view.py": [
        "test_keys_show_the_log_and_all_reasons_and_close_the_view", "test_lines_where_no_terminal_is",
        "test_a_stopped_terminal_stops_no_snapshot_and_a_warning_stays"],
    "life/test_telemetry.py": ["test_stopped_while_all_is_looked_at", "test_figures_are_those_of_the_lines"],
    "load/test_sonnet.py": ["test_a_length_that_no_prompt_keeps"],
    "programs/test_earlier_files.py": ["test_a_sweep_is_resumed"],
    "programs/test_plots.py": ["test_recovered_results_have_their_pictures", "test_a_picture_that_cannot_be_written_is_a_warning"],
    "sweep/test_gate.py": ["test_bisection_finds_the_first_slower_release", "test_files_are_measured_in_turn_until_decided"],
    "sweep/test_sweep_history.py": ["test_pages"],
}


def is_left_out(file, function):
    """Takes the path of the file below tests/scenario."""
    return file in FILES or function in FUNCTIONS.get(file, [])
