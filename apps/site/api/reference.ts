import { readFileSync } from 'node:fs';
import { html, type Html } from '../../../api/pages/html.ts';
import { renderLine } from '../markdown.ts';
import type { Page } from '../page.ts';
import type { Content, Description, Operation, Parameter, Schema } from './description.ts';
import { credentialField, credentialOf } from './credentials.ts';
import { fieldTexts } from './fieldTexts.ts';
import { behind, within } from './places.ts';
import { alternativesOf, requestOf, sampleOf, type Schemas } from './samples.ts';

const FILE = 'docs/openapi.json';

/** Surfaces in the order of their readers: the reference stands in the chapter of relying parties. */
const readingOrder = [
  ...['rp', 'person', 'organization', 'seal', 'pki', 'verify', 'kyc', 'device', 'documents'],
  ...['platform', 'assistant', 'operator'],
];

/** An operation at its address. */
export interface Entry extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Pages of the API, one for each of its surfaces, from its description alone. */
export function apiPages(): readonly Page[] {
  const read = JSON.parse(readFileSync(FILE, 'utf8')) as Description;
  const place = (name: string) => readingOrder.indexOf(name) + 1 || readingOrder.length + 1;
  const tags = read.tags.toSorted((one, other) => place(one.name) - place(other.name));
  const description = { ...read, tags };
  const entries = Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
  const pages = tags.map(({ name, description: title }) =>
    surfacePage(
      name,
      title,
      entries.filter(({ tags }) => tags.includes(name)),
      description,
    ),
  );
  return [indexPage(pages, description, entries), ...pages];
}

function indexPage(pages: readonly Page[], { tags }: Description, entries: readonly Entry[]): Page {
  return {
    path: 'api/index.html',
    title: 'API reference',
    language: 'en',
    headings: [],
    passages: [{ heading: null, text: 'Every operation of the API' }],
    main: html`<h1>API reference</h1>
      <p>
        ${renderLine('Every operation, with an example request and answer, from the description the service gives itself at `/openapi.json`. In a demo (`./tamga up`) each can be sent from here. Errors are [problems](../problems/index.html).')}
      </p>
      ${tags.map(
        ({ name, description }, at) =>
          html`<h2><a href="${name}.html">${pages[at]?.title ?? description}</a></h2>
            <ul>
              ${entries
                .filter((entry) => entry.tags.includes(name))
                .map(
                  ({ operationId, summary, method, path }) =>
                    html`<li>
                      <a href="${name}.html#${operationId}">${summary}</a>
                      <code>${method} ${path}</code>
                    </li>`,
                )}
            </ul>`,
      )}`,
  };
}

function surfacePage(
  name: string,
  title: string,
  entries: readonly Entry[],
  description: Description,
): Page {
  return {
    path: `api/${name}.html`,
    title,
    language: 'en',
    listedOn: 'api/index.html',
    script: 'assets/tryIt.js',
    headings: entries.map(({ operationId, summary }) => ({
      id: operationId,
      text: summary,
      level: 2,
    })),
    passages: entries.map((entry) => ({
      heading: { id: entry.operationId, text: entry.summary, level: 2 },
      text: `${entry.method} ${entry.path} ${entry.operationId} ${entry.description}`,
    })),
    main: html`<p class="path"><a href="index.html">API reference</a></p>
      <h1>${title}</h1>
      ${entries.map((entry) => operation(entry, description))}`,
  };
}

function operation(entry: Entry, { components }: Description): Html {
  const { operationId, summary, description, deprecated, parameters, security } = entry;
  const { schemas, securitySchemes } = components;
  const callers = security.flatMap((each) => Object.keys(each));
  return html`<section class="operation">
    <h2 id="${operationId}">${summary}</h2>
    <p>
      <span class="method">${entry.method}</span>
      <code>${entry.path}</code>${deprecated === true ? html` <strong>deprecated</strong>` : null}
    </p>
    <p>${renderLine(description)}</p>
    ${callers.map((name) => html`<p>Authenticates by <code>${name}</code>: ${securitySchemes[name]?.description ?? ''}</p>`)}
    ${parameters.length === 0 ? null : parameterTable(parameters, entry)}
    <h3>Request</h3>
    <pre tabindex="0"><code>${curlOf(entry, callers[0], schemas)}</code></pre>
    ${decoded(entry, schemas)} ${fieldsOf(entry.requestBody?.content, schemas)}
    ${answers(entry, schemas)} ${tryForm(entry, callers[0], schemas)}
  </section> `;
}

/** Decodes the interactions of the example, which are sent as one Base64 text. */
function decoded({ requestBody }: Entry, schemas: Schemas): Html | null {
  const schema = requestBody?.content['application/json']?.schema;
  const sample = schema === undefined ? null : requestOf(schema, schemas);
  const { interactions } = (sample ?? {}) as { readonly interactions?: unknown };
  if (typeof interactions !== 'string') return null;
  const text = Buffer.from(interactions, 'base64').toString('utf8');
  return html`<p><code>interactions</code> is the Base64 of <code>${text}</code>.</p>`;
}

/** Place of a parameter: behind the part of the path before it, or behind the path's end and the method. */
function placeOf({ name, in: where }: Parameter, { path, method }: Entry): string {
  const parts = path.split('/');
  const before = parts[parts.indexOf(`{${name}}`) - 1] ?? '';
  const fixed = parts.findLast((part) => part !== '' && !part.startsWith('{')) ?? '';
  return where === 'path' ? within(before, name) : [fixed, method.toLowerCase(), name].join('.');
}

function parameterTable(parameters: readonly Parameter[], entry: Entry): Html {
  return html`<div class="wide" tabindex="0">
    <table>
      <thead>
        <tr>
          <th>Parameter</th>
          <th>In</th>
          <th>Type</th>
          <th>About</th>
        </tr>
      </thead>
      <tbody>
        ${parameters.map(
          (parameter) =>
            html`<tr>
              <td>
                <code>${parameter.name}</code>${parameter.required === true ? null : ' (optional)'}
              </td>
              <td>${parameter.in}</td>
              <td>${typeOf(parameter.schema ?? {})}</td>
              <td>${renderLine(aboutParameter(parameter, entry))}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Text about a parameter. */
export function aboutParameter(parameter: Parameter, entry: Entry): string {
  const { description, schema } = parameter;
  return description ?? schema?.description ?? behind(fieldTexts, placeOf(parameter, entry)) ?? '';
}

/** Word or two for the type of a value. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(', ');
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives !== undefined) {
    return [...new Set(alternatives.map((each) => typeOf(each)))].join(' or ');
  }
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

function curlOf(entry: Entry, caller: string | undefined, schemas: Schemas): string {
  const address = `$RP_API_BASE${addressOf(entry, schemas)}`;
  const lines = [
    `curl -sS ${entry.method === 'GET' ? '' : `-X ${entry.method} `}"${address}"`,
    ...(caller === undefined ? [] : [`  -H '${credentialOf(caller)}'`]),
    ...bodyLines(entry.requestBody?.content, schemas),
  ];
  return lines.join(' \\\n');
}

/** Path of an operation with sample values, and the query it requires. */
function addressOf(entry: Entry, schemas: Schemas): string {
  const valueOf = (parameter: Parameter) =>
    String(sampleOf(parameter.schema ?? {}, schemas, placeOf(parameter, entry)));
  const path = entry.path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = entry.parameters.find((each) => each.in === 'path' && each.name === name);
    return parameter === undefined ? whole : valueOf(parameter);
  });
  const query = entry.parameters
    .filter((each) => each.in === 'query' && each.required === true)
    .map((each) => `${each.name}=${encodeURIComponent(valueOf(each))}`);
  return `${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/**
 * Form that sends the operation to the service the page comes from; shown by `browser/tryIt.ts` where that is a demo. None
 * for operations that take files, or a proof that only a phone can make.
 */
function tryForm(entry: Entry, caller: string | undefined, schemas: Schemas): Html | null {
  const [type, body] = Object.entries(entry.requestBody?.content ?? {})[0] ?? [];
  const isJson = type === 'application/json';
  if (caller === 'deviceProof' || (type !== undefined && !isJson)) return null;
  const sample = isJson ? requestOf(body?.schema ?? {}, schemas) : null;
  return html`<form class="try" hidden data-method="${entry.method}">
    <h3>Try it</h3>
    <label
      >Address <input name="address" value="${addressOf(entry, schemas)}" spellcheck="false"
    /></label>
    ${caller === undefined ? null : credentialField(caller)}
    ${
      sample === null
        ? null
        : html`<label
            >Body
            <textarea name="body" rows="8" spellcheck="false">
${JSON.stringify(sample, null, 2)}</textarea>
          </label>`
    }
    <button>Send</button>
    <output tabindex="0" aria-live="polite"></output>
  </form>`;
}

function bodyLines(content: Content | undefined, schemas: Schemas): readonly string[] {
  const [type, body] = Object.entries(content ?? {})[0] ?? [];
  if (type === undefined) return [];
  if (type === 'multipart/form-data') return ["  -F 'file=@contract.pdf'"];
  if (type === 'application/json') {
    return [
      `  -H 'Content-Type: ${type}'`,
      `  -d '${JSON.stringify(requestOf(body?.schema ?? {}, schemas), null, 2)}'`,
    ];
  }
  if (type === 'application/x-www-form-urlencoded') {
    const sample = requestOf(body?.schema ?? {}, schemas) as Readonly<Record<string, unknown>>;
    return Object.entries(sample).map(([name, value]) => `  -d '${name}=${String(value)}'`);
  }
  return [`  -H 'Content-Type: ${type}'`, '  --data-binary @file'];
}

/** Fields of a body as a table; of alternatives, each has its own. */
function fieldsOf(content: Content | undefined, schemas: Schemas): Html | null {
  const schema = resolved(content?.['application/json']?.schema, schemas);
  if (schema === undefined) return null;
  const alternatives = alternativesOf(schema);
  const forms = alternatives.length === 0 ? [schema] : alternatives;
  return html`${forms.map((form, at) => {
    const { properties = {}, required = [] } = resolved(form, schemas) ?? {};
    const name = forms.length > 1 ? `Fields, form ${at + 1} of ${forms.length}` : 'Fields';
    const called = nameOf(form) ?? nameOf(content?.['application/json']?.schema) ?? '';
    return html`<details>
      <summary>${name}</summary>
      <div class="wide" tabindex="0">
        <table>
          <thead>
            <tr>
              <th>Field</th>
              <th>Type</th>
              <th>About</th>
            </tr>
          </thead>
          <tbody>
            ${Object.entries(properties).map(
              ([field, each]) =>
                html`<tr>
                  <td><code>${field}</code>${required.includes(field) ? null : ' (optional)'}</td>
                  <td>${typeOf(each)}</td>
                  <td>${renderLine(aboutField(each, within(called, field)))}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>`;
  })}`;
}

/** Text about a field of a request. @param place behind the name of its schema */
export function aboutField({ description }: Schema, place: string): string {
  return description ?? behind(fieldTexts, place) ?? '';
}

const nameOf = (schema: Schema | undefined) => schema?.$ref?.replace('#/components/schemas/', '');

function resolved(schema: Schema | undefined, schemas: Schemas): Schema | undefined {
  return schema?.$ref === undefined ? schema : schemas[nameOf(schema) ?? ''];
}

function answers({ responses }: Entry, schemas: Schemas): Html {
  const good = Object.entries(responses).filter(([status]) => status !== 'default');
  return html`<h3>Answer</h3>
    ${good.map(([status, { content }]) => {
      const [type, body] = Object.entries(content ?? {})[0] ?? [];
      const examples = type === 'application/json' ? formsOf(body?.schema, schemas) : [];
      return html`<p>
          <strong>${status}</strong>${type === undefined ? null : html` <code>${type}</code>`}
        </p>
        ${examples.map(
          (schema) =>
            html`<pre
              tabindex="0"
            ><code>${JSON.stringify(sampleOf(schema, schemas), null, 2)}</code></pre>`,
        )}`;
    })}`;
}

/** Forms of an answer, each of which has an example. */
function formsOf(schema: Schema | undefined, schemas: Schemas): readonly Schema[] {
  if (schema === undefined) return [];
  const alternatives = alternativesOf(resolved(schema, schemas) ?? {});
  return alternatives.length === 0 ? [schema] : alternatives;
}
