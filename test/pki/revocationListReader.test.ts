import { expect } from 'chai';
import {
  derNull,
  derOctetString,
  derOid,
  derSequence,
  derValue,
} from '../../infrastructure/pki/kernel/der.ts';
import { derTag, MalformedDer } from '../../infrastructure/pki/kernel/derReader.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import {
  forEachRevocation,
  type ListScope,
  readRevocationList,
} from '../../infrastructure/pki/kernel/revocationList.ts';
import { craftCrl } from '../client/revocationSupport.ts';
import { type Issued, issue } from '../client/support.ts';

const integer = (hex: string) => derValue(derTag.integer, Buffer.from(hex, 'hex'));
const critical = derValue(derTag.boolean, Buffer.of(0xff));
const serial = Buffer.from('0100', 'hex');

function extension(id: string, value: Buffer, ...flag: readonly Buffer[]): Buffer {
  return derSequence(derOid(id), ...flag, derOctetString(value));
}

const keyCompromise = extension(oid.reasonCode, derValue(derTag.enumerated, Buffer.of(1)));

describe('The reader of revocation lists (RFC 5280 §5)', () => {
  let issuer: Issued;

  before(async () => {
    issuer = await issue({ name: 'Issuing', ca: true });
  });

  type Wish = NonNullable<Parameters<typeof craftCrl>[2]>;

  const read = (
    wish: Wish = {},
    scope: ListScope = 'complete',
    serials: readonly Buffer[] = [serial],
  ) => {
    const found: [string, string, number][] = [];
    const list = readRevocationList(craftCrl(issuer, serials, wish), scope);
    forEachRevocation(list.entries, (each, { revokedAt, reason }) =>
      found.push([each.toString('hex'), revokedAt.toISOString(), reason]),
    );
    return { ...list, found };
  };

  it('reads number, times, serial numbers and reasons', () => {
    const list = read({
      extensions: extension(oid.crlNumber, integer('0100')),
      more: derSequence(keyCompromise),
    });
    expect(list.number).to.equal(256n);
    expect(list.found).to.deep.equal([['0100', '2026-03-01T00:00:00.000Z', 1]]);
    expect(read().number).to.equal(null);
    expect(read({}, 'complete', []).found).to.deep.equal([]);
  });

  it('forgets the reason of the entry before where one states none', () => {
    const date = derValue(derTag.utcTime, Buffer.from('260301000000Z'));
    const entry = (number: string, ...more: readonly Buffer[]) =>
      derSequence(integer(number), date, ...more);
    const reasons: number[] = [];
    forEachRevocation(
      Buffer.concat([
        entry('01', derSequence(keyCompromise)),
        entry('02'),
        entry('03', derSequence(keyCompromise)),
      ]),
      (_, { reason }) => reasons.push(reason),
    );
    expect(reasons).to.deep.equal([1, 0, 1]);
  });

  it('tells reasons apart among more encodings than it remembers', () => {
    const date = derValue(derTag.utcTime, Buffer.from('260301000000Z'));
    const extensions = (reason: number, place: number) =>
      derSequence(
        extension(oid.reasonCode, derValue(derTag.enumerated, Buffer.of(reason))),
        extension('1.2.3', integer(place.toString(16).padStart(4, '0'))),
      );
    const stated = Array.from({ length: 600 }, (_, place) => place % 7);
    const entries = stated.map((reason, place) =>
      derSequence(integer('01'), date, extensions(reason, 256 + (place % 200))),
    );
    const reasons: number[] = [];
    forEachRevocation(Buffer.concat(entries), (_, { reason }) => reasons.push(reason));
    expect(reasons).to.deep.equal(stated);
  });

  it('takes a part for the address it is of, or that is configured, and not for the whole', () => {
    const address = 'http://ca.example/1.crl';
    const uri = derValue(derTag.primitive(6), Buffer.from(address));
    const name = [derTag.constructed(0), derTag.constructed(0)].reduce(
      (inner, tag) => derValue(tag, inner),
      uri,
    );
    for (const flag of [[], [critical]]) {
      const extensions = extension(oid.issuingDistributionPoint, derSequence(name), ...flag);
      expect(read({ extensions }, { address }).found).to.have.length(1);
      expect(read({ extensions }, { address: null }).found).to.have.length(1);
      expect(() => read({ extensions }, { address: `${address}2` })).to.throw(MalformedDer);
      expect(() => read({ extensions })).to.throw(MalformedDer);
    }
  });

  const refused: Readonly<Record<string, readonly [Wish, ...(readonly Buffer[])]>> = {
    'of version 1': [{ version: null }],
    'of version 3': [{ version: Buffer.of(2) }],
    'without a time of the next (§5.1.2.5)': [{ nextUpdate: null }],
    'with a critical number (§5.2.3)': [
      { extensions: extension(oid.crlNumber, integer('01'), critical) },
    ],
    'with a negative number': [{ extensions: extension(oid.crlNumber, integer('ff')) }],
    'with a critical extension of an entry (§5.3)': [
      { more: derSequence(extension(oid.reasonCode, keyCompromise, critical)) },
    ],
    'with a reason of two bytes': [
      {
        more: derSequence(extension(oid.reasonCode, derValue(derTag.enumerated, Buffer.of(1, 1)))),
      },
    ],
    'with a fourth field in an entry': [{ more: Buffer.concat([derSequence(), derNull]) }],
    'with a revocation at no time': [{ revokedAt: derValue(derTag.utcTime, Buffer.from('26Z')) }],
    'with a padded serial number': [{}, Buffer.from('000100', 'hex')],
    'with an empty serial number': [{}, Buffer.alloc(0)],
    'with a serial number of 128 bytes': [{}, Buffer.alloc(128, 1)],
  };

  for (const [what, [wish, ...serials]] of Object.entries(refused)) {
    it(`refuses a list ${what}`, () => {
      expect(() => read(wish, 'complete', serials.length > 0 ? serials : [serial])).to.throw(
        MalformedDer,
      );
    });
  }
});
