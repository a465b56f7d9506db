import { isMainThread } from 'node:worker_threads'

// Preloaded into a hub: at SIGUSR2 its event loop stands still for ever.
if (isMainThread)
  process.on('SIGUSR2', () => {
    for (;;);
  })
