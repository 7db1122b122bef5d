import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import express, { type Router } from 'express';

/** Serves the files of a folder, texts compressed; the browser keeps them and asks whether they have changed. */
export function files(directory: string): Router {
  const packed = new Map(
    readdirSync(directory)
      .filter((name) => ['.css', '.js', '.svg'].includes(extname(name)))
      .map((name) => [`/${name}`, brotliCompressSync(readFileSync(join(directory, name)))]),
  );
  const router = express.Router();
  router.use((request, response, next) => {
    response.set({ 'cache-control': 'no-cache', vary: 'accept-encoding' });
    const body = request.method === 'GET' ? packed.get(request.path) : undefined;
    if (body === undefined || request.acceptsEncodings('br') === false) next();
    else response.type(extname(request.path)).set('content-encoding', 'br').send(body);
  });
  router.use(express.static(directory, { index: false, cacheControl: false }));
  return router;
}
