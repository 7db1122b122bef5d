import { expect } from 'chai';
import pg from 'pg';
import { readHost } from '../../domain/shared/hosts.ts';
import { type AddressForm, addressFormOf } from '../../infrastructure/config/addresses.ts';
import { ConfigurationError, readConfig, settings } from '../../infrastructure/config/config.ts';
import { parseConnectionString } from '../../infrastructure/eventstore/eventStoreDb/connectionString.ts';
import { sessionAt } from '../../infrastructure/postgres/session.ts';
import { redisOptions } from '../../infrastructure/redis/connection.ts';

/** Host as a client gets it, and port; `default`: none is written. */
type Reached = readonly [host: string, port: number | 'default'];

/** Ways to write a host, and the host it is. */
const hosts = {
  'id.example.mn': 'id.example.mn',
  'ID.Example.MN': 'id.example.mn',
  'id.example.mn.': 'id.example.mn',
  'жишээ.мн': 'xn--f1ae2cuaa.xn--l1ac',
  localhost: 'localhost',
  'LOCALHOST.': 'localhost',
  '192.0.2.1': '192.0.2.1',
  '[::1]': '::1',
  '[2001:DB8:0::1]': '2001:db8::1',
  '[::ffff:192.0.2.1]': '192.0.2.1',
} as const;

/** Texts that are no host in any setting. */
const noHosts = [
  ...['fe80::1%eth0', '[fe80::1%eth0]', '[fe80::1%25eth0]', '[::1', '::1]', '[192.0.2.1]', ':::'],
  ...['a..b', '-a', 'a b', '127.1', '0x7f.1', '256.0.0.1', '192.0.2.1.', 'a:', 'a:port', 'a:65536'],
  ...['a:0', 'a:80:80', 'a\\b'],
];

/** Addresses (IPv6) without brackets: hosts where no port may follow. */
const bare = { '::1': '::1', '2001:DB8::1': '2001:db8::1', '::ffff:192.0.2.1': '192.0.2.1' };

interface Form {
  /** Writes the setting with a host in it. */
  readonly text: (host: string) => string;
  /** Reads where the value leads; null: it is kept as it is. */
  readonly reached: ((value: unknown) => Reached) | null;
  /** Default: a port may follow, no user may precede, names are hosts. */
  readonly takes?: readonly ('bare' | 'user' | 'no port' | 'no name')[];
}

const web = (value: unknown): Reached => {
  const { hostname, port } = new URL(String(value));
  return [readHost(hostname)?.name ?? hostname, port === '' ? 'default' : Number(port)];
};

const forms: Readonly<Record<AddressForm, Form>> = {
  base: { text: (host) => `https://${host}/a/`, reached: web },
  endpoint: { text: (host) => `https://${host}/a?b=c`, reached: web },
  identifier: { text: (host) => `https://${host}/`, reached: null },
  http: { text: (host) => `http://${host}/`, reached: web },
  postgres: {
    text: (host) => `postgres://u:p@${host}/db?sslmode=require`,
    reached: (value) => {
      const { host, port } = new pg.Client(sessionAt(String(value)));
      return [host, port === 5432 ? 'default' : port];
    },
    takes: ['user'],
  },
  redis: {
    text: (host) => `rediss://u:p@${host}/1`,
    reached: (value) => {
      const { host, port } = redisOptions(String(value), () => false);
      return [host, port === 6379 ? 'default' : port];
    },
    takes: ['user'],
  },
  eventStore: {
    text: (host) => `esdb://u:p@${host}?tls=false`,
    reached: (value) => {
      const [seed] = parseConnectionString(String(value)).seeds;
      return [seed?.address ?? '', seed?.port === 2113 ? 'default' : (seed?.port ?? 0)];
    },
    takes: ['user'],
  },
  socket: {
    text: (host) =>
      `tcp://${/:\d+$/u.test(host) && !host.startsWith('::') ? host : `${host}:3310`}`,
    reached: (value) => {
      const [host, port] = web(value);
      return [host, port === 3310 ? 'default' : port];
    },
  },
  host: {
    text: (host) => host,
    reached: (value) => {
      const [first] = [value].flat();
      return [typeof first === 'string' ? first : nameOf(first), 'default'];
    },
    takes: ['bare', 'no port'],
  },
  hostAndPort: { text: (host) => host, reached: (value) => web(`http://${String(value)}`) },
  block: {
    text: (host) => host,
    reached: (value) => [String(value), 'default'],
    takes: ['bare', 'no port', 'no name'],
  },
};

function nameOf(host: unknown): string {
  return typeof host === 'object' && host !== null && 'name' in host ? String(host.name) : '';
}

describe('F7: every setting that holds an address', () => {
  const holding = Object.entries(settings).flatMap(([name, { schema }]) => {
    const form = addressFormOf(schema);
    return form === null ? [] : [{ name, schema, form }];
  });

  it('is known by its schema', () => {
    const names = holding.map(({ name }) => name);
    const alike = Object.keys(settings).filter((name) =>
      /_(?:URL|BASE|HOSTS?|UPSTREAM|ISSUER|SCANNER|PROXIES)$/u.test(name),
    );
    expect(names).to.include.members(alike);
    expect(new Set(holding.map(({ form }) => form))).to.have.all.keys(Object.keys(forms));
  });

  for (const { name, schema, form } of holding) {
    const { text, reached, takes = [] } = forms[form];

    function accepts(written: string, where: Reached) {
      const parsed = schema.safeParse(written);
      expect(parsed.error?.issues.map(({ message }) => message).join(), written).to.equal(
        undefined,
      );
      if (reached === null) expect(parsed.data).to.equal(written);
      else expect(reached(parsed.data), written).to.deep.equal(where);
    }

    function refuses(written: string) {
      expect(() => readConfig({ SVC_PROFILE: 'development', [name]: written }), written)
        .to.throw(ConfigurationError)
        .with.property('faults')
        .that.satisfies(
          ([fault = '', ...others]: readonly string[]) =>
            others.length === 0 && new RegExp(`^${name}: .{20,}`, 'u').test(fault),
          `${written} with a sentence that names the setting`,
        );
    }

    it(`${name} takes a host however it is written, or says what is wrong`, () => {
      for (const [written, host] of Object.entries(hosts)) {
        if (takes.includes('no name') && readHost(written)?.kind === 'name') {
          refuses(text(written));
          continue;
        }
        accepts(text(written), [host, 'default']);
        if (takes.includes('no port')) refuses(text(`${written}:8443`));
        else accepts(text(`${written}:8443`), [host, 8443]);
      }
      for (const [written, host] of Object.entries(bare)) {
        if (takes.includes('bare')) accepts(text(written), [host, 'default']);
        else refuses(text(written));
      }
      for (const written of noHosts) refuses(text(written));
      if (!takes.includes('user')) refuses(text('user:pw@id.example.mn'));
    });
  }

  it('is, of PostgreSQL, also a socket, or a host given as parameter', () => {
    const { schema } = settings.SVC_DATABASE_URL;
    const hostOf = (text: string) => new pg.Client(sessionAt(schema.parse(text) ?? '')).host;
    expect(hostOf('postgres:///db?host=/run/postgresql')).to.equal('/run/postgresql');
    expect(hostOf('postgres://u@%2Frun%2Fpostgresql/db')).to.equal('/run/postgresql');
    expect(hostOf('postgres://u@a/db?host=[2001:DB8::1]')).to.equal('2001:db8::1');
    for (const text of ['postgres:///db', 'postgres://a,b/db', 'postgres:///db?host=fe80::1%25a']) {
      expect(schema.safeParse(text).success, text).to.equal(false);
    }
  });

  it('is refused without its value, which may hold a password', () => {
    for (const { name, form } of holding) {
      if (forms[form].takes?.includes('user') !== true) continue;
      const written = forms[form].text('a..b').replace('u:p@', 'tamga:hunter2@');
      expect(() => readConfig({ SVC_PROFILE: 'development', [name]: written }))
        .to.throw(ConfigurationError, name)
        .with.property('message')
        .that.does.not.include('hunter2');
    }
  });
});
