// The service worker: an installed page opens without the server, too, and then says that it waits for it.
// The server is asked first each time, so that nobody sees an old page. `FILES` stands in front, see page.py.

const CACHE = "polarity";
const isKept = (pathname) => pathname.startsWith("/api/v1/words/") || FILES.includes(pathname);

addEventListener("install", (event) => event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method === "GET" && origin === location.origin && isKept(pathname)) event.respondWith(fresh(event.request, pathname));
});

async function fresh(request, pathname) {
  const cache = await caches.open(CACHE); // without the query: it may be the link's token
  try {
    const answer = await fetch(request);
    if (answer.status === 200) await cache.put(pathname, answer.clone());
    return answer;
  } catch {
    return (await cache.match(pathname)) ?? Response.error();
  }
}
