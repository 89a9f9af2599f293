/*
 * Model x GPU pairs that the simulator has constants for; docs/reference/simulator.md says where
 * each number comes from and how a step's time is made of them.
 *
 * PROFILE(name, parameters, weight_bytes, layers, hidden, kv_bytes_per_token, tensor_parallel,
 *         gpu, gpu_bytes, memory_bytes_per_s, flops, link_bytes_per_s,
 *         memory_efficiency, flops_efficiency, step_overhead_ns, sequence_overhead_ns, link_latency_ns,
 *         max_model_len)
 */
PROFILE("llama-3-8b-h100", 8.03e9, 16.06e9, 32, 4096, 131072.0, 1,
	"NVIDIA H100 80GB HBM3", 80e9, 3.35e12, 989.4e12, 450e9,
	0.80, 0.60, 900000.0, 1500.0, 8000.0,
	8192)
PROFILE("llama-3-70b-h100-tp4", 70.55e9, 141.1e9, 80, 8192, 327680.0, 4,
	"NVIDIA H100 80GB HBM3", 80e9, 3.35e12, 989.4e12, 450e9,
	0.80, 0.60, 1200000.0, 1500.0, 8000.0,
	8192)

#undef PROFILE
