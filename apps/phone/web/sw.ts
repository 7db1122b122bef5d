/// <reference lib="webworker" />

// Caches the shell, so that the phone opens offline and can report it. Requests to the service are
// never cached: they are not below /phone.

const worker = self as unknown as ServiceWorkerGlobalScope;

const SHELL = 'tamga-phone';
const PAGE = '/phone';
/** Files below this path never change. */
const ASSETS = `${PAGE}/assets/`;

worker.addEventListener('install', (event) => {
  event.waitUntil(cacheShell().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(worker.clients.claim());
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== worker.location.origin) return;
  if (request.mode === 'navigate' && pathname === PAGE) event.respondWith(page(request));
  else if (pathname.startsWith(ASSETS)) event.respondWith(asset(request));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show());
});

/** Caches the page and its files; files loaded later are cached then. */
async function cacheShell(): Promise<void> {
  const response = await fetch(PAGE, { cache: 'no-store' });
  if (response.ok) await keep(response);
}

async function keep(response: Response): Promise<void> {
  const html = await response.clone().text();
  const cached = await caches.match(PAGE);
  // Another page has other files: the old ones are deleted.
  if (cached !== undefined && (await cached.text()) !== html) await caches.delete(SHELL);
  const shell = await caches.open(SHELL);
  const named = [...html.matchAll(/\/phone\/[\w./-]+\.(?:js|css|svg|png|webmanifest)/g)];
  const files = new Set(named.map(([path]) => path));
  for (const path of files) {
    if ((await shell.match(path)) === undefined) await shell.add(path);
  }
  await shell.put(PAGE, response);
}

/** Fetches the page; offline, the cached one. */
async function page(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    if (response.ok) await keep(response.clone());
    return response;
  } catch {
    return (await caches.match(PAGE)) ?? Response.error();
  }
}

async function asset(request: Request): Promise<Response> {
  const kept = await caches.match(request);
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.ok) await (await caches.open(SHELL)).put(request, response.clone());
  return response;
}

async function show(): Promise<void> {
  const [open] = await worker.clients.matchAll({ type: 'window' });
  if (open === undefined) await worker.clients.openWindow(PAGE);
  else await open.focus();
}
