import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { DirectoryFailure } from '../../application/directory/ports/directory.ts';
import { createHttpDirectory } from '../../infrastructure/registry/httpDirectory.ts';
import { rejection } from '../support/assertions/rejection.ts';

const person = {
  core_id: 200001,
  name: 'Дорж Бат-Эрдэнэ',
  email: 'bat@example.mn',
  phone: '',
  registration_number: 'УБ85031512',
  photo: 'not taken',
};
const organization = {
  core_id: '500001',
  name: 'Тамга Демо',
  legal_name: 'Тамга Демо ХХК',
  registration_number: '5512345',
  address: 'Улаанбаатар',
};
const asked = { type: 'registrationNumber', registrationNumber: 'уб85031512' } as const;

describe('a directory behind a registry service', () => {
  let server: Server;
  let url = '';
  let answer: { status?: number; body?: string; headers?: Record<string, string>; never?: boolean };
  const requests: { readonly target: string; readonly authorization: string | undefined }[] = [];
  const calls: string[] = [];

  before(async () => {
    server = createServer((request, response) => {
      const { url: target = '', headers } = request;
      requests.push({ target, authorization: headers.authorization });
      if (answer.never === true) return;
      response.writeHead(answer.status ?? 200, answer.headers);
      response.end(answer.body ?? '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/registry`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const directory = (timeoutMs = 5000) =>
    createHttpDirectory({
      url,
      token: 'registry-token',
      timeoutMs,
      onCalled: (operation, status) => calls.push(`${operation} ${status}`),
    });
  const json = (body: unknown, status = 200) => ({ status, body: JSON.stringify(body) });

  for (const { how, body } of [
    { how: 'as it is', body: person },
    { how: 'in an envelope', body: { status: true, data: person } },
    { how: 'as a result', body: { code: 200, result: person } },
  ]) {
    it(`takes a person answered ${how}`, async () => {
      answer = json(body);
      expect(await directory().person(asked)).to.deep.equal({
        civilId: null,
        coreId: 200001,
        name: 'Дорж Бат-Эрдэнэ',
        email: 'bat@example.mn',
        phone: null,
        registrationNumber: 'уб85031512',
      });
    });
  }

  it('asks once, with the number and the token, and tells of the call', async () => {
    answer = json({ data: organization });
    requests.length = calls.length = 0;
    expect(await directory().organization('5512345')).to.deep.equal({
      register: '5512345',
      coreId: 500001,
      name: 'Тамга Демо',
      legalName: 'Тамга Демо ХХК',
      email: null,
      phone: null,
      address: 'Улаанбаатар',
    });
    expect(requests).to.deep.equal([
      { target: '/registry/organisation?reg_no=5512345', authorization: 'Bearer registry-token' },
    ]);
    expect(calls).to.deep.equal(['organisation 200']);
  });

  for (const { how, given } of [
    { how: '404', given: json({ message: 'none' }, 404) },
    { how: '204', given: { status: 204 } },
    { how: 'an empty body', given: { body: '' } },
    { how: 'null', given: json(null) },
    { how: '{}', given: json({}) },
    { how: '[]', given: json([]) },
    { how: 'status false', given: json({ status: false, message: 'бүртгэлгүй' }) },
    { how: 'data null', given: json({ status: true, data: null }) },
    { how: 'data {}', given: json({ status: true, data: {} }) },
    { how: 'code 404', given: json({ code: 404 }) },
    { how: 'code NOT_FOUND', given: json({ code: 'PERSON_NOT_FOUND', message: 'none' }) },
  ]) {
    it(`understands ${how} as nobody`, async () => {
      answer = given;
      expect(await directory().person(asked)).to.equal(null);
      expect(await directory().organization('5512345')).to.equal(null);
    });
  }

  for (const { how, given } of [
    { how: '500', given: json(person, 500) },
    { how: '401', given: json({}, 401) },
    { how: 'a redirection', given: { status: 302, headers: { location: '/registry' } } },
    { how: 'what is no JSON', given: { body: '<html>' } },
    { how: 'a text', given: json('person') },
    { how: 'an error in an answer of 200', given: json({ code: 'E500', message: 'database' }) },
    { how: 'a person without a name', given: json({ ...person, name: '' }) },
    { how: 'another person', given: json({ ...person, registration_number: 'АА90110724' }) },
    { how: 'an endless answer', given: json({ ...person, photo: 'x'.repeat(70_000) }) },
    { how: 'no answer at all', given: { never: true } },
  ]) {
    it(`fails on ${how}, and says nothing of the person`, async () => {
      answer = given;
      const fault = await rejection(directory('never' in given ? 300 : 5000).person(asked));
      expect(fault).to.be.instanceOf(DirectoryFailure);
      expect((fault as Error).message).not.to.match(/85031512|Бат/);
      expect((fault as Error).cause).to.equal(undefined);
    });
  }

  for (const [how, fields] of [
    ['mixes letters that look alike', { name: 'Тaмга Демо' }],
    ['has unseen characters', { legal_name: 'Тамга\u200b Демо ХХК' }],
    ['is not seen', { name: '\u3164' }],
  ] as const) {
    it(`F4: gives no organization whose name ${how}, and still tells its people`, async () => {
      answer = json({ ...organization, ...fields, affiliates: ['УБ85031512'] });
      const fault = await rejection(directory().organization('5512345'));
      expect(fault).to.be.instanceOf(DirectoryFailure);
      expect(String(fault)).to.match(/name of the organization: Must/u);
      expect(await directory().isAffiliate('5512345', 'уб85031512')).to.equal(true);
    });
  }

  it('fails when nobody listens', async () => {
    const away = createHttpDirectory({ url: 'http://127.0.0.1:1', timeoutMs: 300 });
    expect(await rejection(away.person(asked))).to.be.instanceOf(DirectoryFailure);
  });
});
