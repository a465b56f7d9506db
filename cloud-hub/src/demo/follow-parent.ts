/** Loaded into the demonstration's children: when their parent is gone, however it went, they stop as at SIGTERM. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
