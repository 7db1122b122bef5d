import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { sha256Base64 } from '@tamga/client';
import { createClient } from './settings.ts';

// A citizen signs a PDF by push; the stamped copy shows anybody who signed it, and when.
//
//   node signAndStamp.js PNOMN-110000000001 contract.pdf contract.signed.pdf

const [citizen = '', input = '', output = ''] = process.argv.slice(2);
const client = createClient();
const pdf = await readFile(input);
const fileName = basename(input);

// The signature covers the digest of these bytes: do not change them before the stamp.
const digest = sha256Base64(pdf);
const started = await client.sign.digestByEtsi(
  citizen,
  digest,
  'Sign the document shown on the page',
  { fileName },
);
console.log(`Choose this code on the phone: ${started.vc.value}`);

const result = await client.session.waitForResult(started.sessionId);
const { certificate, person } = client.validator.validateSign(result, digest, {
  session: started,
  personEtsi: citizen,
});
await client.validator.checkRevocation(certificate);
console.log(`Signed by ${String(person.firstName)} ${String(person.lastName)}`);

await writeFile(output, await client.stamp.pdf(started.sessionId, pdf, { fileName }));
console.log(`Stamped: ${output}`);
