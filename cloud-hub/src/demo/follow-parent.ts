/** Preloaded into the children of the demonstration: they handle the end of their parent, for any reason, like SIGTERM. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
