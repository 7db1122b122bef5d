import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ProgressReport } from './demoProgress.ts';
import type { DemoPlatform } from './demoPlatform.ts';
import { isInstalled } from './test.ts';

export interface DemoDocumentOptions {
  readonly platform: DemoPlatform;
  /** Signers in order; their phones answer automatically. */
  readonly signers: readonly { readonly regNo: string; readonly name: string }[];
  /** Path of the signed PDF. */
  readonly path: string;
  readonly telling: ProgressReport;
}

/**
 * Uploads a PDF, has it signed by citizens in turn, downloads it, and validates it with an
 * independent program.
 */
export async function showDocument(options: DemoDocumentOptions): Promise<void> {
  const { platform, signers, path, telling } = options;
  const { step, say } = telling;
  step(`A document signed by ${signers.map(({ name }) => name).join(', then ')}`);
  const created = await call(platform, '', {
    title: 'Түрээсийн гэрээ',
    doc_type: 'CONTRACT',
    signers: signers.map(({ regNo }) => ({ reg_number: regNo })),
  });
  const id = String(created['id']);
  const form = new FormData();
  form.append('file', new Blob([leasePdf()], { type: 'application/pdf' }), 'lease.pdf');
  const { sha256 } = await call(platform, `/${id}/file`, form);
  say(`  document ${id}, lease.pdf uploaded: SHA-256 ${String(sha256).slice(0, 16)}…`);
  for (const { regNo, name } of signers) {
    const started = await call(platform, `/${id}/sign/eid/start`, { reg_number: regNo });
    const { end_result: result, document } = await call(platform, `/${id}/sign/eid/poll`, {
      session_id: started['session_id'],
      timeout_ms: 30_000,
    });
    const { status } = (document ?? {}) as { readonly status?: string };
    if (result !== 'OK') throw new Error(`${name} did not sign: ${String(result)}.`);
    say(`  ${name} signs: ${result}, the document is ${status ?? 'unknown'}`);
  }
  const signed = await fetch(`${platform.baseUrl}/documents/${id}/file`, {
    headers: { authorization: `Bearer ${platform.accessToken}` },
  });
  if (!signed.ok) throw new Error(`Download of the signed document failed: HTTP ${signed.status}.`);
  await writeFile(path, Buffer.from(await signed.arrayBuffer()));
  say(`  ${await verified(path, signers.length)}: ${path}`);
}

/** Output of `pdfsig`, where installed. @throws Error unless every signature is valid */
async function verified(path: string, signatures: number): Promise<string> {
  if (!isInstalled('pdfsig')) return 'signed, to be checked with pdfsig (poppler-utils)';
  // Trust in the authorities is not checked here: it is the reader's decision.
  const { stdout } = await promisify(execFile)('pdfsig', ['-nocert', path]);
  const valid = stdout.match(/Signature is Valid\./g)?.length ?? 0;
  if (valid !== signatures) throw new Error(`pdfsig finds ${valid} valid signatures.\n${stdout}`);
  return `pdfsig finds ${valid} valid signatures`;
}

/** @throws Error for a status other than 2xx */
async function call(
  { baseUrl, accessToken }: DemoPlatform,
  path: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const authorization = `Bearer ${accessToken}`;
  const response = await fetch(`${baseUrl}/documents${path}`, {
    method: 'POST',
    ...(body instanceof FormData
      ? { body, headers: { authorization } }
      : {
          body: JSON.stringify(body),
          headers: { authorization, 'content-type': 'application/json' },
        }),
  });
  const answer = (await response.json()) as Readonly<Record<string, unknown>>;
  if (!response.ok) throw new Error(`${path}: ${response.status} ${String(answer['detail'])}`);
  return answer;
}

/** A PDF with one page (ISO 32000-1 §7.5). */
export function leasePdf(): string {
  const text = 'BT /F1 20 Tf 72 720 Td (Lease) Tj ET';
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${text.length}>>stream\n${text}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let pdf = '%PDF-1.7\n';
  const rows = ['0000000000 65535 f\r\n'];
  for (const [index, object] of objects.entries()) {
    rows.push(`${String(pdf.length).padStart(10, '0')} 00000 n\r\n`);
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const trailer = `trailer\n<</Size ${rows.length}/Root 1 0 R>>\nstartxref\n${pdf.length}\n%%EOF\n`;
  return `${pdf}xref\n0 ${rows.length}\n${rows.join('')}${trailer}`;
}
