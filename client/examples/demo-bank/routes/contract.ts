import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type Request, Router } from 'express';
import { sha256Base64 } from '@tamga/client';
import { stamp } from '../flows/stamp.ts';
import { contractPage } from '../pages/receipt.ts';
import { failurePage } from '../pages/message.ts';
import { filled, texts, type Texts } from '../texts/index.ts';
import { traced } from '../tracing.ts';
import type { Contract } from '../visitors.ts';
import { type Bank, field, viewFor, visitorOf } from './exchange.ts';
import { channelNamed, fail } from './pending.ts';
import { asked, askForSignature, customerOrLogin, interactionsOf } from './signing.ts';

/** Size limit of an upload, bytes: the PDF stays in memory until it is stamped. */
const MOST_BYTES = 5 * 1024 * 1024;

/** Documents: a PDF is signed, stamped, and returned. */
export function contractRoutes(bank: Bank): Router {
  const { client, settings } = bank;
  const { base } = settings;
  const sample = readFileSync(join(settings.directory, 'public', 'contract.pdf'));
  const router = Router();

  // A form signs the sample; the script uploads a file, with the fields in the query.
  const upload = express.raw({ type: 'application/pdf', limit: MOST_BYTES });
  router.post('/contract', upload, async (request, response) => {
    const customer = customerOrLogin(bank, response);
    if (customer === null) return;
    const t = texts[visitorOf(response).language];
    const contract = readContract(request, sample, t);
    const channel = channelNamed(field(request, 'channel') || asked(request, 'channel'));
    if (contract === null || channel === null) {
      visitorOf(response).failure = { kind: 'documentRefused', code: 'NOT_A_PDF' };
      response.redirect(303, `${base}/failure`);
      return;
    }
    const { pdf, fileName, onBehalfOf } = contract;
    const digest = sha256Base64(pdf);
    await askForSignature(bank, response, {
      channel,
      purpose: { kind: 'contract', contract, digest },
      toSign: {
        etsi: customer.etsi,
        digest,
        fileName,
        ...(onBehalfOf === null ? {} : { onBehalfOf }),
        interactions: interactionsOf(channel, filled(t.ask.contract, { file: fileName })),
      },
    });
  });

  router.get('/contract', (_request, response) => {
    const { contract } = visitorOf(response);
    const receipt = contract?.receipt;
    if (contract === undefined || receipt === undefined) response.redirect(303, `${base}/account`);
    else response.send(contractPage(viewFor(bank, response), contract, receipt));
  });

  router.post('/contract/stamp', async (_request, response) => {
    const visitor = visitorOf(response);
    const { contract } = visitor;
    const receipt = contract?.receipt;
    if (contract === undefined || receipt === undefined) {
      response.redirect(303, `${base}/account`);
      return;
    }
    try {
      const { pdf, fileName } = contract;
      contract.stamped = await traced(visitor, 'stamp', () =>
        stamp(client, receipt.sessionId, pdf, fileName),
      );
      response.redirect(303, `${base}/contract`);
    } catch (error) {
      const failure = fail(response, error);
      response.send(failurePage(viewFor(bank, response), failure));
    }
  });

  router.get('/contract/file', (_request, response, next) => {
    const { contract } = visitorOf(response);
    if (contract?.stamped === undefined) {
      next();
      return;
    }
    response.attachment(contract.fileName.replace(/(\.pdf)?$/i, '.signed.pdf'));
    response.type('application/pdf').send(contract.stamped);
  });
  return router;
}

/** Reads the document of a request; null when it is not a PDF. */
function readContract(request: Request, sample: Buffer, t: Texts): Contract | null {
  const body: unknown = request.body;
  if (!Buffer.isBuffer(body)) {
    const onBehalfOf = field(request, 'onBehalfOf') || null;
    return { fileName: t.contract.fileName, pdf: sample, onBehalfOf };
  }
  if (!body.subarray(0, 5).equals(Buffer.from('%PDF-'))) return null;
  const fileName = asked(request, 'fileName')
    .replaceAll(/[\p{C}/\\]/gu, ' ')
    .trim();
  return {
    // Cuts between code points: half of a surrogate pair cannot be encoded in a header.
    fileName: Array.from(fileName).slice(-100).join('') || 'document.pdf',
    pdf: body,
    onBehalfOf: asked(request, 'onBehalfOf') || null,
  };
}
