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
    "dash/test_budget.py": "tests/unit/query/budget.c",
    "programs/test_bench_help.py": "tests/unit/cli/commands.c",
    "programs/test_change_numpy.py": "tests/unit/result/change",
    "programs/test_columnar_peers.py": "tests/unit/columnar",
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
    "dash/test_artifacts.py": ["test_import"],
    "dash/test_change.py": ["test_another_process_is_followed"],
    "dash/test_demo.py": ["test_a_terminal_has_a_bar"],
    "dash/test_duplicates.py": ["test_import_says_the_same"],
    "dash/test_export.py": ["test_clients_that_leave_hold_nothing_up"],
    "dash/test_jobs.py": ["test_abandoned_uploads_are_forgotten"],
    "dash/test_migrate.py": ["test_filling_of_many_results_reports_its_progress", "test_columns_and_statuses_of_form_13_are_renamed"],
    "dash/test_sql.py": ["test_responses_during_changes_are_snapshots"],
    "dash/test_sweeps.py": ["test_a_directory_identifies_its_sweep"],
    "life/test_echoed_secrets.py": ["test_in_no_place_after_a_failure"],
    "life/test_ends_faults.py": ["test_hang"],
    "life/test_launch_causes.py": ["test_each_of_80_launches_has_its_cause_line_and_hint"],
    "life/test_recover.py": [
        "test_finished_requests_stay", "test_the_journal_holds_the_lines_of_the_requests_file",
        "test_a_result_that_cannot_be_written_leaves_the_journal"],
    "life/test_run_ends.py": ["test_client_held_down_is_not_trusted"],
    "life/test_telemetry.py": ["test_stopped_while_all_is_looked_at", "test_figures_are_those_of_the_lines"],
    "load/test_sonnet.py": ["test_a_length_that_no_prompt_keeps"],
    "programs/test_earlier_files.py": ["test_a_sweep_is_resumed"],
    "programs/test_plots.py": ["test_recovered_results_have_their_pictures", "test_a_picture_that_cannot_be_written_is_a_warning"],
    "sweep/test_sweep_history.py": ["test_pages"],
}

# One walk through the code of each part of these files, and what outsiders send. Other functions of these files run the same
# code, which runs under AddressSanitizer here or in unit tests.
ONLY = {
    # one experiment: upload, live view, its artifacts, report
    "dash/test_command.py": ["test_a_file_of_vllm", "test_a_hostile_experiment_reaches_nothing"],
    "dash/test_live.py": [
        "test_a_snapshot_that_does_not_fit_is_refused", "test_a_run_from_its_first_snapshot_to_its_result",
        "test_a_killed_server_ends_its_streams", "test_a_client_that_does_not_read_delays_no_other"],
    "dash/test_live_run.py": ["test_two_runs_one_of_them_killed_and_a_restarted_dashboard"],
    "dash/test_log.py": ["test_search", "test_hostile_bytes_stay_text", "test_a_failed_launch"],
    "dash/test_pending.py": [
        "test_an_upload_that_is_interrupted", "test_malformed_list", "test_list_of_another_user", "test_malformed_token_file"],
    "dash/test_prepared.py": ["test_a_wrong_prepared_file_is_replaced"],
    "dash/test_report_route.py": ["test_it_equals_the_commands_report", "test_small_and_hostile_documents"],
    "dash/test_requests.py": [
        "test_csv_has_every_match", "test_invalid_lines_are_counted", "test_odd_but_valid_lines", "test_broken_compression",
        "test_impossible_lists"],
    "dash/test_run_upload.py": ["test_a_run_and_its_artifacts"],
    "dash/test_series.py": ["test_odd_ranges", "test_samples_beyond_the_memory_are_refused", "test_a_zoom_into_a_recorded_run"],
    "dash/test_traces.py": ["test_files_that_are_none", "test_hostile_traces", "test_a_trace_by_range"],
    "life/test_run_view.py": ["test_a_narrow_and_low_terminal_that_is_resized", "test_the_terminal_is_normal_whatever_ends_the_run"],
    "life/test_separate_profile.py": ["test_two_ranks", "test_the_run_is_stopped_while_it_waits"],
    # sessions and traces: one run each, and malformed files
    "load/test_conversations.py": [
        "test_agent_sessions", "test_combinations_that_make_no_sense_are_refused", "test_a_faulty_record_is_named"],
    "load/test_timed_trace.py": ["test_pauses_can_be_shortened_and_lines_out_of_order_are_sorted", "test_a_faulty_file_is_refused_at_once"],
    "load/test_latency_breakdown.py": ["test_times_of_each_request_need_no_counts", "test_nothing_is_invented_without_counters"],
    "programs/test_report.py": [
        "test_charts_come_from_the_artifacts", "test_broken_lines_of_artifacts", "test_hostile_names", "test_several"],
    # changes over time: trends, regression, gate, bisection, releases, watches, decisions
    "dash/test_analysis.py": [
        "test_a_step_is_found_where_it_is", "test_unknown_fields_are_refused", "test_lists_are_selected_sorted_and_paged",
        "test_a_thinned_line_keeps_the_extremes", "test_expected_cuts_the_history_and_survives_a_restart"],
    "dash/test_decisions.py": [
        "test_decisions_are_added_and_none_replaces_another", "test_an_annotation_from_first_to_last",
        "test_malformed_annotations_are_refused", "test_acknowledged_annotations_survive_a_kill"],
    "dash/test_two_releases.py": [
        "test_unmatched_configurations_name_what_differs", "test_heat_maps_have_the_means_of_their_cells",
        "test_wrong_requests_are_refused", "test_the_command_prints_the_summary_as_text_and_markdown"],
    "dash/test_watches.py": [
        "test_a_watch_from_first_to_last", "test_states_follow_the_data_and_the_decisions",
        "test_a_webhook_receives_each_new_state", "test_a_webhook_over_https_trusts_the_given_authority"],
    "sweep/test_gate.py": [
        "test_results_pass_fail_or_are_not_decided", "test_texts_of_results_do_not_change_the_report",
        "test_a_path_may_have_any_bytes", "test_a_killed_gate_resumes_without_repeating_finished_runs"],
    # a team: tokens, TLS, roles, backup, prune, metrics, exports, the index of fields
    "dash/test_access.py": [
        "test_every_route_by_every_kind_of_token", "test_other_forms_of_a_token", "test_changes_of_the_file",
        "test_a_stream_ends_with_its_token", "test_a_body_that_ends_after_its_token", "test_sessions_end_with_their_token",
        "test_invented_cookies", "test_a_file_that_cannot_be_used_at_start", "test_the_token_command"],
    "dash/test_backup.py": [
        "test_a_flipped_bit_is_refused", "test_a_killed_restore_is_repeated",
        "test_a_damaged_list_removes_no_artifacts", "test_newer_and_other_snapshots_are_refused"],
    "dash/test_export_table.py": ["test_every_cell_is_the_one_of_the_json", "test_requests_are_checked_like_those_of_csv"],
    "dash/test_column_snapshot.py": ["test_a_damaged_one_is_not_used"],  # and reads a whole one
    "dash/test_field_index.py": ["test_changes_are_followed"],
    "dash/test_field_index_hostile.py": [
        "test_hostile_documents", "test_members_that_json_writers_do_not_write", "test_damaged_rows_are_read_from_documents"],
    "dash/test_https.py": [
        "test_requests_and_responses_of_each_kind", "test_a_request_without_tls", "test_slow_handshakes",
        "test_a_renewed_certificate", "test_pairs_that_cannot_be_used"],
    "dash/test_load.py": [],  # test_hostile.py and test_http.py have such clients, one at a time
    "dash/test_observe.py": [
        "test_the_metrics", "test_health_of_a_stranger", "test_the_log_as_json", "test_a_drain"],
    "dash/test_processes.py": ["test_a_reader_gets_at_least_the_version_it_names"],
    "dash/test_proxy_users.py": ["test_groups_and_names", "test_a_stream", "test_the_address_and_scheme_of_the_client"],
    "dash/test_prune.py": ["test_the_dry_run_is_what_goes"],
    "dash/test_replaced.py": ["test_an_older_dump_is_loaded"],
    "dash/test_sessions.py": ["test_a_session_outlives_the_process"],
    "dash/test_sql_view.py": ["test_new_columns_follow_the_others"],
    "life/test_otlp.py": ["test_the_metrics_of_a_run", "test_a_hostile_collector"],
}


def is_left_out(file, function):
    """Takes the path of the file below tests/scenario."""
    return file in FILES or function in FUNCTIONS.get(file, []) or function not in ONLY.get(file, [function])
