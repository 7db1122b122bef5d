import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  authenticationBody,
  certificateChoiceBody,
  linkedSignatureBody,
  signatureBody,
} from '../../api/rp/generations/generations.ts';
import { nestedAuthenticationBody, nestedSignatureBody } from '../support/http/nestedRequests.ts';
import * as flat from '../support/worlds/relyingPartyWorld.ts';

const id = randomUUID();
const digest = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const document = (fill: number) => ({ digest: digest(fill), displayText60: `Document ${fill}` });
const documents = [document(1), document(2)];
const choice = { relyingPartyUUID: id, relyingPartyName: 'DEMO' };

/** Places of the faults found in a body. */
function faultsOf(schema: typeof signatureBody | typeof certificateChoiceBody, body: object) {
  const { error } = schema.safeParse(body);
  return (error?.issues ?? []).map(({ path }) => path.join('/'));
}

describe('A field that a request cannot serve', () => {
  const requests = {
    'a flat authentication': [authenticationBody, flat.authenticationBody(id)],
    'a nested authentication': [authenticationBody, nestedAuthenticationBody(id)],
    'a nested signature': [signatureBody, nestedSignatureBody(id)],
    'a linked signature': [
      linkedSignatureBody,
      nestedSignatureBody(id, {}, { linkedSessionID: randomUUID() }),
    ],
    'a certificate choice': [certificateChoiceBody, choice],
  } as const;

  for (const [request, [schema, body]] of Object.entries(requests)) {
    it(`is refused as the documents of ${request}`, () => {
      const faults = (fields: object) =>
        faultsOf(schema as typeof signatureBody, { ...body, ...fields });
      expect(faults({})).to.deep.equal([]);
      expect(faults({ documents: null })).to.deep.equal([]);
      expect(faults({ documents })).to.deep.equal(['documents']);
    });
  }

  it('is refused as the signals of a certificate choice, which tells none', () => {
    const faults = (fields: object) => faultsOf(certificateChoiceBody, { ...choice, ...fields });
    expect(faults({ riskSignals: true, riskSignalsRequired: true })).to.deep.equal([
      'riskSignals',
      'riskSignalsRequired',
    ]);
    expect(faults({ riskSignals: ['rooted'] })).to.deep.equal(['riskSignals']);
    expect(faults({ riskSignals: null, riskSignalsRequired: false })).to.deep.equal([]);
  });

  it('makes no batch of a signature when it is null', () => {
    const body = flat.signatureBody(id, { digest: digest(3), documents: null });
    const { content } = signatureBody.parse(body) as { readonly content: object };
    expect(content).to.deep.equal({ kind: 'SIGNATURE', digest: digest(3), hashType: 'SHA256' });
  });

  it('is a digest of a batch in a second form, which would be the same twice', () => {
    const second = digest(0).replace(/A=$/, 'B=');
    expect(Buffer.from(second, 'base64')).to.deep.equal(Buffer.alloc(32));
    const { digest: none, hashType: neither, ...shared } = flat.signatureBody(id);
    expect([none, neither]).to.not.include(undefined);
    const twice = [document(0), { ...document(0), digest: second }];
    expect(faultsOf(signatureBody, { ...shared, documents: twice })).to.deep.equal([
      'documents/1/digest',
    ]);
  });
});
