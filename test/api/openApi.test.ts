import { expect } from 'chai';
import { z } from 'zod';
import { anyone } from '../../api/http/handling.ts';
import { openApiDocument } from '../../api/platform/openApi.ts';
import { type Reply, type ResponseShape, type Route, route } from '../../api/http/route.ts';
import { checkAnswer } from '../support/assertions/checkedAnswers.ts';

function rowAnswering(response: ResponseShape, body: z.ZodType | null = null): Route {
  return route({
    name: 'row',
    summary: 'A row',
    method: 'POST',
    path: '/rows/:id/*rest',
    guard: anyone,
    params: z.object({ id: z.uuid(), rest: z.string() }),
    query: z.object({ limit: z.coerce.number().int().default(5), q: z.string() }),
    body,
    response,
    handle: () => ({}),
  });
}

const service = { title: 'T', version: '1.0.0' };

describe('openApiDocument', () => {
  const named = z.object({ name: z.string() }).meta({ id: 'Named' });

  it('describes path, parameters and responses of a route, a named schema once', () => {
    // given
    const asked = z.object({ name: z.string() }).meta({ id: 'Asked' });
    const body = z.object({ kind: z.literal('x').meta({ internal: true }), asked });
    // when
    const document = JSON.stringify(
      openApiDocument([rowAnswering({ 200: named, 201: 'text/csv', 204: null }, body)], service),
    );
    // then
    const { paths, components } = JSON.parse(document) as {
      paths: Record<string, Record<string, Record<string, unknown>>>;
      components: { schemas: object };
    };
    const operation = paths['/rows/{id}/{rest}']?.['post'];
    expect(operation?.['parameters']).to.have.length(4);
    expect(operation?.['requestBody']).to.deep.equal({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/RowRequest' } } },
    });
    expect(operation?.['responses']).to.have.keys('200', '201', '204', 'default');
    expect(components.schemas).to.have.keys('Asked', 'Named', 'Problem', 'RowRequest');
    expect(components.schemas)
      .to.have.property('RowRequest')
      .that.deep.equals({
        type: 'object',
        properties: { asked: { $ref: '#/components/schemas/Asked' } },
        required: ['asked'],
      });
  });

  /** Named schemas of a service of one row that answers this. */
  function schemasOf(answer: z.ZodType): Readonly<Record<string, unknown>> {
    const document = JSON.stringify(openApiDocument([rowAnswering({ 200: answer })], service));
    return (JSON.parse(document) as { components: { schemas: Record<string, unknown> } }).components
      .schemas;
  }

  it('describes a value or null as one schema, of which null is a value', () => {
    const answer = z.object({
      colour: z.enum(['RED', 'BLUE']).nullable(),
      length: z.string().min(2).nullable(),
      named: named.nullable(),
    });
    expect(schemasOf(answer)['RowAnswer'])
      .to.have.property('properties')
      .that.deep.equals({
        colour: { type: ['string', 'null'], enum: ['RED', 'BLUE', null] },
        length: { type: ['string', 'null'], minLength: 2 },
        named: { anyOf: [{ $ref: '#/components/schemas/Named' }, { type: 'null' }] },
      });
  });

  it('tells the members of a union apart by the one that differs', () => {
    const open = z.object({ by: z.string(), state: z.literal('OPEN') }).meta({ id: 'Open' });
    const shut = z.object({ by: z.string(), state: z.literal('SHUT') }).meta({ id: 'Shut' });
    const door = z.discriminatedUnion('state', [open, shut]).meta({ id: 'Door' });
    const references = ['#/components/schemas/Open', '#/components/schemas/Shut'] as const;
    expect(schemasOf(door)['Door']).to.deep.equal({
      oneOf: references.map(($ref) => ({ $ref })),
      discriminator: {
        propertyName: 'state',
        mapping: { OPEN: references[0], SHUT: references[1] },
      },
    });
    const other = z.object({ by: z.string() }).meta({ id: 'Other' });
    expect(schemasOf(z.union([open, other]).meta({ id: 'Either' }))['Either']).not.to.have.property(
      'discriminator',
    );
  });

  it('describes a union of which one alternative is published as that one', () => {
    const old = z.object({ kind: z.literal('old') }).meta({ internal: true });
    const present = z.object({ kind: z.literal('new') }).meta({ id: 'Present' });
    const schemas = schemasOf(z.discriminatedUnion('kind', [old, present]));
    expect(schemas).to.have.keys('Present', 'Problem');
  });

  it('refuses two schemas of one name', () => {
    const other = { 200: z.object({ named, number: z.int() }).meta({ id: 'Other' }) };
    const inputs = z.object({ number: z.int().default(1) }).meta({ id: 'Both' });
    expect(() => openApiDocument([rowAnswering(other)], service)).not.to.throw();
    expect(() => openApiDocument([rowAnswering({ 200: inputs }, inputs)], service)).to.throw(
      'Both',
    );
  });
});

describe('A response checked against the schema of its route', () => {
  const closed = { 200: z.object({ name: z.string() }), 204: null, 206: 'text/csv; charset=utf-8' };
  const check = (reply: Reply) => () => checkAnswer(rowAnswering(closed), reply);

  it('passes when it is that', () => {
    expect(check({ body: { name: 'x' } })).not.to.throw();
    expect(check({ body: Buffer.from('{"name":"x"}') })).not.to.throw();
    expect(check({ status: 204 })).not.to.throw();
    expect(check({ status: 206, body: Buffer.from('a'), contentType: 'text/csv' })).not.to.throw();
    expect(check({ status: 304 })).not.to.throw();
  });

  it('fails when a member is missing, more or other, or the status or type another', () => {
    expect(check({ body: {} })).to.throw();
    expect(check({ body: { name: 'x', more: 1 } })).to.throw('more than it says');
    expect(check({ body: { name: 7 } })).to.throw();
    expect(check({ status: 204, body: {} })).to.throw('no body');
    expect(check({ status: 201 })).to.throw('201');
    expect(check({ status: 206, body: {} })).to.throw('text/csv');
  });
});
