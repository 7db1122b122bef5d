import { expect } from 'chai';
import {
  authCodeOf,
  expectFresh,
  expectGenuine,
  parseSignedDeviceLink,
  sessionSecretDigest,
} from '../../domain/session/deviceLink.ts';
import type { Refusal } from '../../domain/shared/refusal.ts';
import { knownAnswers } from '../support/pki/knownAnswers.ts';

describe('A signed device link', () => {
  const signed = knownAnswers.authCode.map(
    ({ unsignedLink, authCode }) => `${unsignedLink}&authCode=${authCode}`,
  );
  const [web = '', qr = ''] = signed;

  function taken(link: string) {
    const parsed = parseSignedDeviceLink(link);
    if (parsed === null) throw new Error('It is no link.');
    return parsed;
  }

  function codeOf(thrower: () => void): string {
    try {
      thrower();
      return 'nothing';
    } catch (error) {
      return (error as Refusal).code;
    }
  }

  it('has the published authCode', () => {
    expect(knownAnswers.authCode).to.have.length.greaterThan(1);
    for (const known of knownAnswers.authCode) {
      const link = taken(`${known.unsignedLink}&authCode=${known.authCode}`);
      expect(authCodeOf(known, known.sessionSecret, link)).to.equal(known.authCode);
      expect(link).to.deep.include({
        unsigned: known.unsignedLink,
        authCode: known.authCode,
        deviceLinkType: known.deviceLinkType,
        elapsedSeconds: known.elapsedSeconds ?? null,
        sessionToken: known.sessionToken,
        sessionType: known.sessionType,
      });
    }
  });

  it('signs no return address into a QR code, whatever the session has', () => {
    const [known, qrKnown] = knownAnswers.authCode;
    if (known === undefined || qrKnown === undefined) throw new Error('Vectors are missing.');
    const withAddress = { ...qrKnown, initialCallbackUrl: known.initialCallbackUrl };
    expect(authCodeOf(withAddress, qrKnown.sessionSecret, taken(qr))).to.equal(qrKnown.authCode);
  });

  it('has the published digest of its secret', () => {
    for (const known of knownAnswers.sessionSecretDigest) {
      expect(sessionSecretDigest(known.sessionSecret)).to.equal(known.sessionSecretDigest);
    }
  });

  it('is nothing else than exactly the parameters of version 1.0, in their order', () => {
    for (const other of [
      '',
      'tamga://approve?sessionId=6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      web.replace('version=1.0', 'version=1.1'),
      web.replace('Web2App', 'NFC'),
      web.replace('lang=eng', 'lang=english'),
      web.replace('sessionType=auth', 'sessionType=admin'),
      web.replace('&sessionToken=', '&sessionToken=x'),
      `${web}&deviceLinkType=QR`,
      `${web}#fragment`,
      web.replace('&lang', '&sessionType=sign&lang'),
      web.replace(/&authCode=.*/, ''),
      web.replace('deviceLinkType=Web2App', 'deviceLinkType=Web2App&elapsedSeconds=1'),
      qr.replace('&elapsedSeconds=22', ''),
      qr.replace('elapsedSeconds=22', 'elapsedSeconds=-1'),
    ]) {
      expect(parseSignedDeviceLink(other), other).to.equal(null);
    }
  });

  it('is genuine with the code of this session only', () => {
    const link = taken(web);
    const right = { authCode: link.authCode, sessionType: 'auth' } as const;
    expect(codeOf(() => expectGenuine(link, right))).to.equal('nothing');
    const wrong = { ...right, authCode: taken(qr).authCode };
    expect(codeOf(() => expectGenuine(link, wrong))).to.equal('DEVICE_LINK_INVALID');
    expect(codeOf(() => expectGenuine(link, { ...right, sessionType: 'sign' }))).to.equal(
      'DEVICE_LINK_INVALID',
    );
  });

  it('is fresh for 20 seconds from its making when it is a QR code, and for good otherwise', () => {
    const startedAt = new Date('2026-06-01T00:00:00.000Z');
    const after = (ms: number) => new Date(startedAt.getTime() + ms);
    const at = (link: string, ms: number) =>
      codeOf(() => expectFresh(taken(link), startedAt, after(ms)));
    expect(at(qr, 22_000)).to.equal('nothing');
    expect(at(qr, 42_000)).to.equal('nothing');
    expect(at(qr, 42_001)).to.equal('DEVICE_LINK_EXPIRED');
    // Made in the future: by more than the clocks of two processes may differ.
    expect(at(qr, 17_000)).to.equal('nothing');
    expect(at(qr, 16_999)).to.equal('DEVICE_LINK_EXPIRED');
    expect(at(web, 149_000)).to.equal('nothing');
  });
});
