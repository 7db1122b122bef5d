import { createHash, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { verifyActiveAuthentication } from '../../infrastructure/passport/activeAuthentication.ts';
import { PassportRejected } from '../../infrastructure/passport/rejection.ts';
import { derValue } from '../../infrastructure/pki/kernel/der.ts';
import {
  isRepresentativeOf,
  isSignedWithRecovery,
} from '../../infrastructure/pki/messageRecovery.ts';
import {
  type Chip,
  type ChipHash,
  ecChip,
  rawSignature,
  rsaChip,
} from '../support/passport/passportChips.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const hashes: readonly ChipHash[] = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'];

function filesOf({ dataGroup14, dataGroup15 }: Chip): ReadonlyMap<number, Buffer> {
  return new Map([
    [15, dataGroup15],
    ...(dataGroup14 === null ? [] : [[14, dataGroup14] as const]),
  ]);
}

function outcome(files: ReadonlyMap<number, Buffer>, challenge: Buffer, answer: Buffer): string {
  try {
    verifyActiveAuthentication(files, challenge, answer);
    return 'proved';
  } catch (error) {
    if (error instanceof PassportRejected) return error.message;
    throw error;
  }
}

describe('active authentication (ICAO Doc 9303-11 §6.1)', () => {
  const challenge = hex('F173589974BF40C6');

  describe('the worked example of Doc 9303-11 appendix F', () => {
    const recovered = hex(`
      9D2784A67F8E7C659973EA1AEA25D95B6C8F91E5002F369F0FBDCE8A3CEC1991B543F1696546C5524CF23A5303CD6C98
      599F40B79F377B5F3A1406B3B4D8F96784D23AA88DB7E1032A405E69325FA91A6E86F5C71AEA978264C4A207446DAD4E
      7292E2DCDA3024B47DA8`);
    const digest = hex('C063AA1E6D22FBD976AB0FE73D94D2D9C6D88127');
    const representative = Buffer.concat([hex('6A'), recovered, digest, hex('BC')]);

    it('has the hash the standard gives', () => {
      const computed = createHash('sha1').update(recovered).update(challenge).digest();
      expect(computed.equals(digest)).to.equal(true);
      expect(representative).to.have.length(128);
    });

    it('is taken, with the key of whoever signs it', () => {
      expect(isRepresentativeOf(representative, challenge)).to.equal(true);
      const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
      const signature = rawSignature(privateKey, representative);
      expect(isSignedWithRecovery(publicKey, challenge, signature)).to.equal(true);
    });

    it('is taken no more with any bit of it changed, nor for another challenge', () => {
      for (let bit = 0; bit < representative.length * 8; bit += 1) {
        const changed = Buffer.from(representative);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(isRepresentativeOf(changed, challenge), `bit ${bit}`).to.equal(false);
      }
      expect(isRepresentativeOf(representative, hex('F173589974BF40C7'))).to.equal(false);
    });
  });

  it('takes the published vector of another implementation, key and all', () => {
    const key = createPublicKey({
      key: hex(`30819f300d06092a864886f70d010101050003818d0030818902818100
        CDCBDABBF93BE8E8294E32B055256BBD0397735189BF75816341BB0D488D05D627991221DF7D59835C76A4BB4808ADEE
        B779E7794504E956ADC2A661B46904CDC71337DD29DDDD454124EF79CFDD7BC2C21952573CEFBA485CC38C6BD2428809
        B5A31A898A6B5648CAA4ED678D9743B589134B7187478996300EDBA16271A861 0203010001`),
      format: 'der',
      type: 'spki',
    });
    const signature = hex(`
      482E20D1EDDED34359C38F5E7C01203F9D6B2641CDCA5C404D49ADAEDE034C7481D781D043722587761C90468DE69C65
      85A1E8B9C322F90E1B580EEDAB3F6007D0C366CF92B4DB8B41C8314929DCE2BE889C0129123484D2FD3D12763D2EBFD1
      2AC8E51D7061AFCA1A53DEDEC7B9A617472A78C952CCC72467AE008E5F132994`);
    expect(isSignedWithRecovery(key, Buffer.alloc(8), signature)).to.equal(true);
    expect(isSignedWithRecovery(key, Buffer.alloc(8, 1), signature)).to.equal(false);
  });

  for (const hash of hashes) {
    it(`proves a chip with an RSA key and ${hash}`, () => {
      const chip = rsaChip(hash, 2048);
      expect(outcome(filesOf(chip), challenge, chip.answer(challenge))).to.equal('proved');
    });

    it(`proves a chip with an elliptic curve key and ${hash}`, () => {
      for (const curve of ['prime256v1', 'brainpoolP384r1']) {
        const chip = ecChip(hash, curve);
        expect(outcome(filesOf(chip), challenge, chip.answer(challenge))).to.equal('proved');
      }
    });
  }

  describe('proves no chip', () => {
    const rsa = rsaChip('sha256');
    const ec = ecChip();

    for (const [kind, chip, other] of [
      ['RSA', rsa, rsaChip('sha256')],
      ['elliptic curve', ec, ecChip()],
    ] as const) {
      it(`that has another key, answered another challenge, or nothing (${kind})`, () => {
        const files = filesOf(chip);
        for (const answer of [
          other.answer(challenge),
          chip.answer(randomBytes(8)),
          Buffer.alloc(0),
          chip.answer(challenge).subarray(1),
          Buffer.alloc(128, 0xff),
        ]) {
          expect(outcome(files, challenge, answer)).to.equal('ACTIVE_AUTHENTICATION_FAILED');
        }
      });
    }

    it('with a key too short to be one', () => {
      const weak = rsaChip('sha1', 512);
      expect(outcome(filesOf(weak), challenge, weak.answer(challenge))).to.equal(
        'ACTIVE_AUTHENTICATION_FAILED',
      );
    });

    it('whose files are missing or malformed', () => {
      const answer = ec.answer(challenge);
      const only15 = new Map([[15, ec.dataGroup15]]);
      expect(outcome(new Map(), challenge, answer)).to.equal('DATA_GROUP_MISSING: DG15');
      expect(outcome(only15, challenge, answer)).to.equal('DATA_GROUP_MISSING: DG14');
      const empty = new Map([...only15, [14, derValue(0x6e, derValue(0x31))] as const]);
      expect(outcome(empty, challenge, answer)).to.equal('DATA_GROUP_MALFORMED: DG14');
      const noKey = new Map([[15, derValue(0x6f, Buffer.from('no key'))]]);
      expect(outcome(noKey, challenge, answer)).to.equal('DATA_GROUP_MALFORMED: DG15');
    });

    it('whatever the bytes', () => {
      fc.assert(
        fc.property(
          fc.uint8Array({ maxLength: 300 }),
          fc.uint8Array({ maxLength: 80 }),
          fc.uint8Array({ maxLength: 80 }),
          (answer, dg14, dg15) => {
            const files = new Map([
              [14, Buffer.from(dg14)],
              [15, Buffer.from(dg15)],
            ]);
            expect(outcome(files, challenge, Buffer.from(answer))).not.to.equal('proved');
            expect(outcome(filesOf(rsa), challenge, Buffer.from(answer))).not.to.equal('proved');
            expect(outcome(filesOf(ec), challenge, Buffer.from(answer))).not.to.equal('proved');
          },
        ),
      );
    });
  });
});
