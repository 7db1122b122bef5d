import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { createApp } from './login/express.ts';
import { createClient, setting } from './settings.ts';

// A login with the citizen's phone in three ways: by push, by QR code, and by the app on the same phone as the browser.
//
//   PUBLIC_ORIGIN=https://rp.example.mn node expressLogin.js

const app = express();
app.use((_request, response, next) => {
  response.set('content-security-policy', "default-src 'self'");
  next();
});
app.use(express.static(fileURLToPath(new URL('./public', import.meta.url))));
// The library's browser entry: one file without dependencies.
const browserEntry = fileURLToPath(import.meta.resolve('@tamga/client/browser'));
app.use('/tamga', express.static(dirname(browserEntry), { index: false }));

const secret = randomBytes(32).toString('base64url');
const keep = (error: Error) => console.error(error);
app.use(createApp(createClient(), secret, setting('PUBLIC_ORIGIN'), keep));

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${String(address?.port)}/`);
});
