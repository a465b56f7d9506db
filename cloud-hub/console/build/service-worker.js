// The build puts FILES and CACHE before this text.

/** Requests of the shell answer from the cache; /api is never cached. */
self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' }))))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', (event) => {
  const removeOld = async () => {
    const names = await caches.keys()
    await Promise.all(names.filter((name) => name.startsWith('haltless-') && name !== CACHE).map((name) => caches.delete(name)))
    await self.clients.claim()
  }
  event.waitUntil(removeOld())
})

/** Pages that the hub renders, and what is not the console's. */
const OF_THE_HUB = /^\/(?:api|docs|assets|calendars|verify|mqtt|metrics|healthz|readyz|\.well-known|sso)(?:\/|$)/

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin) return
  if (FILES.includes(url.pathname) && url.pathname !== '/index.html') {
    event.respondWith(caches.match(url.pathname, { cacheName: CACHE }).then((cached) => cached ?? fetch(request)))
  } else if (request.mode === 'navigate' && !OF_THE_HUB.test(url.pathname)) {
    // the hub's newest page where it answers, else the shell
    event.respondWith(fetch(request).catch(() => caches.match('/index.html', { cacheName: CACHE })))
  }
})

self.addEventListener('push', (event) => {
  const message = event.data ? event.data.json() : {}
  const { title = 'Haltless', body = '', link = '/', tag } = message
  event.waitUntil(
    self.registration.showNotification(title, { body, tag, icon: '/icon-192.png', badge: '/icon-192.png', data: { link } }),
  )
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const target = new URL(event.notification.data?.link ?? '/', self.location.origin)
  // a message never leads to another site
  const url = target.origin === self.location.origin ? target.href : self.location.origin
  const open = async () => {
    const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
    const known = windows.find((window) => 'navigate' in window)
    if (!known) return self.clients.openWindow(url)
    await known.focus()
    return known.navigate(url)
  }
  event.waitUntil(open())
})
