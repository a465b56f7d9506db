const FILES = ["/index.html","/assets/add-dialog-oa4_u7kJ.js","/assets/add-member-dialog-V7iagp06.js","/assets/agents-fhkVG2jm.js","/assets/alerts-D7gf1Cvs.js","/assets/channel-dialog-CS3pj3A1.js","/assets/chart-BsA7GCgN.js","/assets/chart-qfceA3Rv.css","/assets/checklist-dialog-C-kqXfTE.js","/assets/comments-D7RDAfyZ.js","/assets/complete-dialog-1k9OdjAX.js","/assets/composite-dialog-H9ciZ2yx.js","/assets/conflict-fields-DutsHjTO.js","/assets/conflict-store-kbVOWMIX.js","/assets/connection-dialog-ujUB7znE.js","/assets/de-all---aHG59E.json","/assets/de-base--X2TLrcw.json","/assets/de-later-RSOjTw_0.json","/assets/detail-fields-Cu-O_8cI.js","/assets/detection-dialog-D1PBEnUa.js","/assets/dialog-overlay-PWh9mxzv.js","/assets/edit-dialog-8hnlF6QZ.js","/assets/edit-member-dialog-BpPIZG3P.js","/assets/en-all-hOfJT3z1.json","/assets/en-base-MNW4tIjS.json","/assets/en-later-CyyvINi8.json","/assets/entered-value-DAcw8REm.js","/assets/erp-DT6l9TNc.js","/assets/event-dialog-D1li-Xfg.js","/assets/event-summary-Cwg6E3ct.js","/assets/frame-L3cuJiyL.js","/assets/group-dialog-Bdmcdksx.js","/assets/handover-dialog-CqOkd5rU.js","/assets/import-dialog-CQ1FIbZv.js","/assets/machines-DKNy-mJ7.js","/assets/mails-panel-XcDbHSar.js","/assets/mapping-dialog-BpPFtVa1.js","/assets/mapping-dialog-Dh4jvv8g.js","/assets/members-dialog-Cho3TaLu.js","/assets/merge-change-CAo1CQ-q.js","/assets/mfa-setup-page-BvHwCBg0.js","/assets/move-dialog-BG2AbuFV.js","/assets/operations-Bb6ikdq9.js","/assets/order-dialog-CYr-NrLS.js","/assets/page-D_lvVORA.js","/assets/panel-CVhRBYBz.js","/assets/panel-DegkzYpH.js","/assets/phone-menu-DzIjaaR0.js","/assets/plant-dialog-CKO1A6Rb.js","/assets/policy-dialog-CFVgLJD6.js","/assets/predictions-panel-DpZhi7_B.js","/assets/preview-dialog-1ojbOeDO.js","/assets/reason-code-dialog-BdLPG_ec.js","/assets/record-dialog-Xezmgne9.js","/assets/reset-mfa-dialog-Iyt1YSys.js","/assets/role-dialog-DDcxyjCq.js","/assets/rollout-dialog-DYavplvt.js","/assets/rules-BIPA9gj2.js","/assets/security-panel-DUGeEeaF.js","/assets/settings-DpgIHx3T.js","/assets/shift-dialog-F039thtO.js","/assets/shift-log-dialog-NTU1SbrG.js","/assets/shift-panel-Co-ZEm_N.js","/assets/sign-dialog-BSrC9Q5b.js","/assets/sign-in-dhJWfjDH.js","/assets/snooze-dialog-DuE5N72g.js","/assets/sso-dialog-BrFd9OIY.js","/assets/sso-panel-CutBCBmo.js","/assets/start-D2Lysdhm.js","/assets/start-DTe4A9-W.css","/assets/step-dialog-BZ9FoWAf.js","/assets/subscribe-dialog-Ckq1A3Zm.js","/assets/suggest-dialog-2UG2Kcm1.js","/assets/threshold-dialog-DrdjdG7b.js","/assets/tree-CyaY6FX7.js","/assets/use-draft-DtZnrOo-.js","/assets/work-JPgSA1bn.js","/icon-192.png","/icon-512.png","/icon.svg","/manifest.webmanifest"]
const CACHE = 'haltless-79d6b4d075167f95'
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
