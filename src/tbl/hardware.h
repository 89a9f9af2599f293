/*
 * The accelerators that --hardware knows; docs/reference/hardware.md.
 *
 * GPU(name, aliases, title, memory_mib, platform, capability, bandwidth, tflops, large)
 *   aliases    separated by blanks; "" none
 *   title      start of the driver's name of the device; several are separated by '|'
 *   memory     MiB available to a program, by the driver (less than on the label)
 *   capability CUDA compute capability times ten; 0: none (ROCm)
 *   bandwidth  of the memory, GB/s, by the vendor's data sheet
 *   tflops     dense bfloat16 by the data sheet; float16 where the chip has no bfloat16
 *   large      vLLM takes the larger default batch on it: 70 GiB or more and no A100, nor GB10,
 *              whose memory is the host's
 */
GPU("a10",          "",                "NVIDIA A10",                          22589, "cuda",  86,  600,  125.0, 0)
GPU("a100",         "a100-80gb a100-sxm", "NVIDIA A100-SXM4-80GB|NVIDIA A100-SXM-80GB", 81152, "cuda", 80, 2039, 312.0, 0)
GPU("a100-40gb",    "a100-40",         "NVIDIA A100-SXM4-40GB|NVIDIA A100-PCIE-40GB", 40326, "cuda", 80, 1555, 312.0, 0)
GPU("a100-pcie",    "a100-80gb-pcie",  "NVIDIA A100 80GB PCIe",               81050, "cuda",  80, 1935,  312.0, 0)
GPU("a10g",         "",                "NVIDIA A10G",                         22589, "cuda",  86,  600,   70.0, 0)
GPU("a40",          "",                "NVIDIA A40",                          45403, "cuda",  86,  696,  149.7, 0)
GPU("a6000",        "rtxa6000",        "NVIDIA RTX A6000",                    48539, "cuda",  86,  768,  154.8, 0)
GPU("b200",         "",                "NVIDIA B200",                        182631, "cuda", 100, 8000, 2250.0, 1)
GPU("b300",         "",                "NVIDIA B300",                        274000, "cuda", 103, 8000, 2250.0, 1)
GPU("gb10",         "dgx-spark",       "NVIDIA GB10",                        122570, "cuda", 121,  273,  125.0, 0)
GPU("gb200",        "",                "NVIDIA GB200",                       188700, "cuda", 100, 8000, 2500.0, 1)
GPU("gh200",        "gh200-96gb",      "NVIDIA GH200 480GB",                  97280, "cuda",  90, 4000,  989.4, 1)
GPU("h100",         "h100-80gb h100-sxm", "NVIDIA H100 80GB HBM3|NVIDIA H100 SXM5", 81079, "cuda", 90, 3350, 989.4, 1)
GPU("h100-nvl",     "",                "NVIDIA H100 NVL",                     95320, "cuda",  90, 3938,  835.0, 1)
GPU("h100-pcie",    "",                "NVIDIA H100 PCIe",                    81079, "cuda",  90, 2000,  756.0, 1)
GPU("h20",          "",                "NVIDIA H20",                          97380, "cuda",  90, 4000,  148.0, 1)
GPU("h200",         "h200-sxm",        "NVIDIA H200",                        143156, "cuda",  90, 4800,  989.4, 1)
GPU("h200-nvl",     "",                "NVIDIA H200 NVL",                    143156, "cuda",  90, 4800,  835.0, 1)
GPU("l4",           "",                "NVIDIA L4",                           22565, "cuda",  89,  300,  121.0, 0)
GPU("l40",          "",                "NVIDIA L40",                          45457, "cuda",  89,  864,  181.0, 0)
GPU("l40s",         "",                "NVIDIA L40S",                         45457, "cuda",  89,  864,  362.0, 0)
GPU("mi210",        "",                "AMD Instinct MI210",                  65520, "rocm",   0, 1638,  181.0, 0)
GPU("mi250x",       "mi250",           "AMD Instinct MI250",                  65520, "rocm",   0, 1638,  191.5, 0)
GPU("mi300x",       "mi300",           "AMD Instinct MI300X",                196592, "rocm",   0, 5300, 1307.4, 1)
GPU("mi325x",       "mi325",           "AMD Instinct MI325X",                262128, "rocm",   0, 6000, 1307.4, 1)
GPU("mi350x",       "mi350",           "AMD Instinct MI350X",                294896, "rocm",   0, 8000, 2306.9, 1)
GPU("mi355x",       "mi355",           "AMD Instinct MI355X",                294896, "rocm",   0, 8000, 2516.6, 1)
GPU("rtx3090",      "3090",            "NVIDIA GeForce RTX 3090",             24135, "cuda",  86,  936,   71.0, 0)
GPU("rtx4090",      "4090",            "NVIDIA GeForce RTX 4090",             24080, "cuda",  89, 1008,  165.2, 0)
GPU("rtx5090",      "5090",            "NVIDIA GeForce RTX 5090",             32110, "cuda", 120, 1792,  209.5, 0)
GPU("rtx6000-ada",  "6000-ada",        "NVIDIA RTX 6000 Ada",                 48530, "cuda",  89,  960,  364.2, 0)
GPU("rtxpro6000",   "pro6000",         "NVIDIA RTX PRO 6000 Blackwell",       97250, "cuda", 120, 1792,  503.8, 1)
GPU("t4",           "",                "Tesla T4|NVIDIA T4",                  14913, "cuda",  75,  320,   65.0, 0)
GPU("v100",         "v100-16gb",       "Tesla V100-SXM2-16GB|Tesla V100-PCIE-16GB", 16150, "cuda", 70, 900, 125.0, 0)
GPU("v100-32gb",    "v100-32",         "Tesla V100-SXM2-32GB|Tesla V100-SXM3-32GB|Tesla V100-PCIE-32GB", 32494, "cuda", 70, 900, 125.0, 0)
