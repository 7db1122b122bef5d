// The types of the packed library, as a CommonJS module sees them. Compiled, never run.
import client = require('@tamga/client');

const eid: client.EidClient = new client.EidClient({
  baseUrl: 'https://rp.example',
  credentials: { rpUUID: 'u', rpName: 'n', apiSecret: 's' },
});
const digest: string = client.sha256Base64('text');
const interactions: readonly client.Interaction[] = [
  { type: 'confirmationMessage', displayText200: 'Sign' },
];
const signing: Promise<client.NotificationSession> = eid.sign.digestByDocument(
  'd',
  digest,
  interactions,
);
// @ts-expect-error the browser entry is an ES module without a CommonJS form of its own
const wrong: number = client.qrSvg('x');

export = { eid, signing, wrong };
