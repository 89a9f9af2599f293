/*
 * All quantities that telemetry samples, one row each, in their order in a line of the series file. The
 * sums of `system`, the lines and docs/reference/telemetry.md are made from them.
 *
 * QUANTITY(source, name, unit, kind, text)
 *   source  gpu host server client; the rows of a source are consecutive
 *   kind    LEVEL  current value; mean and integral assume straight lines between samples
 *           RATE   mean since the previous sample
 *           COUNT  only grows; after a decrease it has restarted, with an unknown difference: a gap
 *           BITS   a set of reasons: counted bit by bit, never averaged
 * PAGE(name, unit, kind, text)  a value of the server's /metrics page, source server_metrics; a field
 *           of struct host_metrics by the same name
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef QUANTITY
#define QUANTITY(source, name, unit, kind, text)
#endif
#ifndef PAGE
#define PAGE(name, unit, kind, text)
#endif

QUANTITY(gpu, memory_used_bytes, "B", LEVEL, "memory in use by all processes")
QUANTITY(gpu, utilization, "share", LEVEL, "share of the driver's last sampling period in which a kernel ran, 0 to 1")
QUANTITY(gpu, memory_utilization, "share", LEVEL, "share of that period in which memory was read or written, 0 to 1")
QUANTITY(gpu, power_w, "W", LEVEL, "power drawn by the board")
QUANTITY(gpu, energy_j, "J", COUNT, "energy counter of the driver")
QUANTITY(gpu, temperature_c, "°C", LEVEL, "temperature of the chip")
QUANTITY(gpu, sm_clock_mhz, "MHz", LEVEL, "clock of the multiprocessors")
QUANTITY(gpu, memory_clock_mhz, "MHz", LEVEL, "clock of the memory")
QUANTITY(gpu, pcie_rx_bytes_per_s, "B/s", RATE, "data received over PCIe")
QUANTITY(gpu, pcie_tx_bytes_per_s, "B/s", RATE, "data sent over PCIe")
QUANTITY(gpu, nvlink_rx_bytes, "B", COUNT, "data received over NVLink")
QUANTITY(gpu, nvlink_tx_bytes, "B", COUNT, "data sent over NVLink")
QUANTITY(gpu, ecc_uncorrected, "count", COUNT, "uncorrectable memory errors")
QUANTITY(gpu, throttle, "bits", BITS, "sum of the reasons for low clocks: 1 power limit, 2 heat, 4 power brake, 8 other, 16 idle")

QUANTITY(host, cpu_share, "share", RATE, "share of CPU time in use, 0 to 1")
QUANTITY(host, iowait_share, "share", RATE, "share of CPU time idle with a disk request open, 0 to 1")
QUANTITY(host, steal_share, "share", RATE, "share of CPU time that the hypervisor took, 0 to 1")
QUANTITY(host, throttled_share, "share", RATE, "share of time that the CPU quota stopped our control group, 0 to 1; null without a quota")
QUANTITY(host, load_1m, "count", LEVEL, "one-minute load average")
QUANTITY(host, memory_used_bytes, "B", LEVEL, "memory that is not available to programs")
QUANTITY(host, memory_available_bytes, "B", LEVEL, "memory that is available to programs")
QUANTITY(host, swap_used_bytes, "B", LEVEL, "swap space in use")
QUANTITY(host, disk_read_bytes_per_s, "B/s", RATE, "data read from all physical disks")
QUANTITY(host, disk_written_bytes_per_s, "B/s", RATE, "data written to all physical disks")
QUANTITY(host, network_received_bytes_per_s, "B/s", RATE, "data received over all physical interfaces; without one, over all interfaces except loopback")
QUANTITY(host, network_sent_bytes_per_s, "B/s", RATE, "data sent over the same interfaces")

QUANTITY(server, processes, "count", LEVEL, "processes of the server: those with the mark of the run, and their children")
QUANTITY(server, cpu_s, "s", COUNT, "CPU time of all these processes since their start, including ended ones")
QUANTITY(server, cpu_share, "CPUs", RATE, "mean number of busy CPUs")
QUANTITY(server, memory_bytes, "B", LEVEL, "resident size; shared pages count once per process")
QUANTITY(server, threads, "count", LEVEL, "threads of all these processes")
QUANTITY(server, open_files, "count", LEVEL, "open descriptors of all these processes, read twice per second")
QUANTITY(server, read_bytes_per_s, "B/s", RATE, "data read from disks")
QUANTITY(server, written_bytes_per_s, "B/s", RATE, "data written to disks")

QUANTITY(client, cpu_s, "s", COUNT, "CPU time of this program")
QUANTITY(client, cpu_share, "CPUs", RATE, "mean number of busy CPUs")
QUANTITY(client, memory_bytes, "B", LEVEL, "resident size")
QUANTITY(client, threads, "count", LEVEL, "threads of this program")
QUANTITY(client, voluntary_switches, "count", COUNT, "number of times a thread waited")
QUANTITY(client, involuntary_switches, "count", COUNT, "number of times a thread lost its CPU")

PAGE(running, "req", LEVEL, "requests in the batch")
PAGE(waiting, "req", LEVEL, "requests in the queue")
PAGE(swapped, "req", LEVEL, "requests moved out of GPU memory; older releases")
PAGE(kv_cache_usage, "share", LEVEL, "use of the KV cache in the fullest engine, 0 to 1")
PAGE(preemptions, "count", COUNT, "requests put back into the queue")
PAGE(prefix_queries, "tok", COUNT, "prompt tokens looked up in the prefix cache")
PAGE(prefix_hits, "tok", COUNT, "prompt tokens found in the prefix cache")
PAGE(prompt_tokens, "tok", COUNT, "prompt tokens processed")
PAGE(generation_tokens, "tok", COUNT, "tokens generated")
PAGE(draft_tokens, "tok", COUNT, "tokens proposed by speculative decoding")
PAGE(accepted_tokens, "tok", COUNT, "proposed tokens that were accepted")
PAGE(request_success, "req", COUNT, "finished requests, for any reason")
PAGE(start_time_s, "s", LEVEL, "start of the server process, Unix time")
PAGE(kv_blocks, "count", LEVEL, "blocks of the KV cache")
PAGE(block_size, "tok", LEVEL, "tokens per block")

#undef QUANTITY
#undef PAGE
