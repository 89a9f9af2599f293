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

QUANTITY(gpu, memory_used_bytes, "B", LEVEL, "memory in use, by whomever")
QUANTITY(gpu, utilization, "share", LEVEL, "of the driver's last sampling time with a kernel running, 0 to 1")
QUANTITY(gpu, memory_utilization, "share", LEVEL, "of that time with memory read or written, 0 to 1")
QUANTITY(gpu, power_w, "W", LEVEL, "power drawn by the board")
QUANTITY(gpu, energy_j, "J", COUNT, "the driver's own energy counter")
QUANTITY(gpu, temperature_c, "C", LEVEL, "of the chip")
QUANTITY(gpu, sm_clock_mhz, "MHz", LEVEL, "clock of the multiprocessors")
QUANTITY(gpu, memory_clock_mhz, "MHz", LEVEL, "clock of the memory")
QUANTITY(gpu, pcie_rx_bytes_per_s, "B/s", RATE, "received over PCIe")
QUANTITY(gpu, pcie_tx_bytes_per_s, "B/s", RATE, "sent over PCIe")
QUANTITY(gpu, nvlink_rx_bytes, "B", COUNT, "received over NVLink")
QUANTITY(gpu, nvlink_tx_bytes, "B", COUNT, "sent over NVLink")
QUANTITY(gpu, ecc_uncorrected, "count", COUNT, "memory errors that could not be corrected")
QUANTITY(gpu, throttle, "bits", BITS, "why clocks are low: 1 power cap, 2 heat, 4 power brake, 8 other, 16 idle")

QUANTITY(host, cpu_share, "share", RATE, "processors busy, of all, 0 to 1")
QUANTITY(host, iowait_share, "share", RATE, "processors idle with a disk request open, of all, 0 to 1")
QUANTITY(host, steal_share, "share", RATE, "CPU time that the hypervisor kept, of all, 0 to 1")
QUANTITY(host, throttled_share, "share", RATE, "time that our control group was held back, 0 to 1; null without a quota's count")
QUANTITY(host, load_1m, "count", LEVEL, "load average over a minute")
QUANTITY(host, memory_used_bytes, "B", LEVEL, "all memory less what is available")
QUANTITY(host, memory_available_bytes, "B", LEVEL, "what programs could still get")
QUANTITY(host, swap_used_bytes, "B", LEVEL, "swap space in use")
QUANTITY(host, disk_read_bytes_per_s, "B/s", RATE, "all disks that are hardware")
QUANTITY(host, disk_written_bytes_per_s, "B/s", RATE, "all disks that are hardware")
QUANTITY(host, network_received_bytes_per_s, "B/s", RATE, "all interfaces that are hardware, where there is one, else all but loopback")
QUANTITY(host, network_sent_bytes_per_s, "B/s", RATE, "the same interfaces")

QUANTITY(server, processes, "count", LEVEL, "the server's processes: all that carry the run's mark, and their children")
QUANTITY(server, cpu_s, "s", COUNT, "CPU time of all of them since each began, ended ones included")
QUANTITY(server, cpu_share, "CPUs", RATE, "processors kept busy: 1 is one of them")
QUANTITY(server, memory_bytes, "B", LEVEL, "resident size, shared pages counted once a process")
QUANTITY(server, threads, "count", LEVEL, "of all of them")
QUANTITY(server, open_files, "count", LEVEL, "descriptors of all of them, looked at twice a second")
QUANTITY(server, read_bytes_per_s, "B/s", RATE, "fetched from disks")
QUANTITY(server, written_bytes_per_s, "B/s", RATE, "sent to disks")

QUANTITY(client, cpu_s, "s", COUNT, "CPU time of this program")
QUANTITY(client, cpu_share, "CPUs", RATE, "processors kept busy: 1 is one of them")
QUANTITY(client, memory_bytes, "B", LEVEL, "resident size")
QUANTITY(client, threads, "count", LEVEL, "of this program")
QUANTITY(client, voluntary_switches, "count", COUNT, "times a thread waited for something")
QUANTITY(client, involuntary_switches, "count", COUNT, "times a thread was taken off its processor")

PAGE(running, "req", LEVEL, "requests in the batch")
PAGE(waiting, "req", LEVEL, "requests in the queue")
PAGE(swapped, "req", LEVEL, "requests moved out of GPU memory; older releases")
PAGE(kv_cache_usage, "share", LEVEL, "of the fullest engine, 0 to 1")
PAGE(preemptions, "count", COUNT, "requests put back into the queue")
PAGE(prefix_queries, "tok", COUNT, "prompt tokens looked up in the prefix cache")
PAGE(prefix_hits, "tok", COUNT, "of those, found")
PAGE(prompt_tokens, "tok", COUNT, "prompt tokens processed")
PAGE(generation_tokens, "tok", COUNT, "tokens generated")
PAGE(draft_tokens, "tok", COUNT, "tokens proposed by speculative decoding")
PAGE(accepted_tokens, "tok", COUNT, "of those, accepted")
PAGE(request_success, "req", COUNT, "requests finished, for whatever reason")
PAGE(start_time_s, "s", LEVEL, "start of the server's process, Unix time")
PAGE(kv_blocks, "count", LEVEL, "blocks of the KV cache")
PAGE(block_size, "tok", LEVEL, "tokens a block")

#undef QUANTITY
#undef PAGE
