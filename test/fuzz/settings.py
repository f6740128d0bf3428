"""Random settings of the planner and the executor."""

ON_OFF = ("on", "off")

SETTINGS = {
    "enable_seqscan": ON_OFF, "enable_indexscan": ON_OFF, "enable_indexonlyscan": ON_OFF,
    "enable_bitmapscan": ON_OFF, "enable_hashjoin": ON_OFF, "enable_mergejoin": ON_OFF,
    "enable_nestloop": ON_OFF, "enable_memoize": ON_OFF, "enable_material": ON_OFF,
    "enable_sort": ON_OFF, "enable_incremental_sort": ON_OFF, "enable_hashagg": ON_OFF,
    "enable_partition_pruning": ON_OFF, "enable_partitionwise_join": ON_OFF,
    "enable_partitionwise_aggregate": ON_OFF, "constraint_exclusion": ("on", "off", "partition"),
    "plan_cache_mode": ("auto", "force_custom_plan", "force_generic_plan", "force_generic_plan"),
    "work_mem": ("64kB", "4MB"), "join_collapse_limit": ("1", "8"),
    "random_page_cost": ("0", "1", "100"), "cpu_tuple_cost": ("0", "1"),
    "cpu_operator_cost": ("0", "1"),
}
PARALLEL = ("parallel_setup_cost = 0", "parallel_tuple_cost = 0",
            "min_parallel_table_scan_size = 0", "min_parallel_index_scan_size = 0",
            "max_parallel_workers_per_gather = 2")


def choose(rng):
    """Assignments for SET: a few, and now and then those that make a query parallel."""
    names = rng.sample(list(SETTINGS), rng.choice((0, 2, 5, 8)))
    chosen = [f"{name} = '{rng.choice(SETTINGS[name])}'" for name in names]
    # Most plans of small tables read all rows, where an index could give them.
    if rng.random() < 0.6:
        chosen.append("enable_seqscan = off")
    return chosen + list(PARALLEL if rng.random() < 0.03 else ())
