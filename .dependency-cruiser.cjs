/** Who may import whom (docs/architecture.md, Import rules). Every rule says why. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { pathNot: allowed },
});

const platformPackages = (names) => names.map((name) => `(^|/)node_modules/${name}(/|$)`).join('|');

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Two modules that need each other are one module.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A module nobody uses is dead: delete it.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '^main/main\\.ts$',
          '^test/bench/',
          '^apps/phone/cli\\.ts$',
          '^apps/(site/browser/(search|tryIt)|pages/(verify|oidc))\\.ts$',
          '^apps/phone/web/(vite\\.config|sw)\\.ts$',
          '\\.worker\\.ts$',
          '^client/index\\.ts$',
        ],
      },
      to: {},
    },
    {
      name: 'not-to-unresolvable',
      comment: 'An import that cannot be resolved hides a violation.',
      severity: 'error',
      from: {},
      // Generated from docs/openapi.json when the pages are built.
      to: { couldNotResolve: true, pathNot: '^#openapi$' },
    },
    {
      name: 'no-dev-dependency-in-production',
      comment: 'Production code runs without development dependencies.',
      severity: 'error',
      from: {
        path: '^(main/main\\.ts|main/composition|domain|application|infrastructure|projections|api|client|apps/phone)',
        // Bundled into the package, so no dependency of those who install it.
        pathNot: '^(client/browser|apps/phone/web)/',
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'aggregates-are-strangers',
      comment: 'An aggregate never imports another: what crosses them is a use case or a reactor.',
      severity: 'error',
      from: { path: '^domain/(?!shared/)([^/]+)/' },
      to: { path: '^domain/', pathNot: '^domain/(shared|$1)/' },
    },
    {
      name: 'domain-crypto-in-one-file',
      comment: 'The domain is pure; node:crypto enters it in the digest file only.',
      severity: 'error',
      from: { path: '^domain/', pathNot: '^domain/shared/digest\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    only(
      'domain-is-pure',
      '^domain/(?!shared/(event|request)Fields\\.ts$)',
      '^domain/|^(node:)?crypto$',
      'The domain imports nothing but itself.',
    ),
    only(
      'fields-are-schemas',
      '^domain/shared/(event|request)Fields\\.ts$',
      `${platformPackages(['zod'])}|^domain/shared/eventFields\\.ts$`,
      'One declaration is both the type of a field and the schema it is checked against (ADR 42, ADR 69).',
    ),
    only(
      'application-uses-ports',
      '^application/',
      '^(application|domain)/|^(node:)?(async_hooks|crypto|buffer|diagnostics_channel|events)$',
      'Use cases know the domain and ports, no library.',
    ),
    only(
      'projections-read-events',
      '^projections/',
      `^(projections|domain|application/(ports|[^/]+/ports))/|${platformPackages(['kysely'])}`,
      'Read models know events, ports and kysely.',
    ),
    only(
      'api-is-an-edge',
      '^api/',
      `^(api|application|domain|projections)/|^client/fileRevisions\\.ts$|^(node:)?[a-z_/]+$|${platformPackages(['express', '@types/express', 'zod', 'rate-limiter-flexible', '@fastify/busboy'])}`,
      'The API calls use cases and queries; it never reaches an adapter. The verification page compares files as the library does.',
    ),
    only(
      'infrastructure-implements-ports',
      '^infrastructure/',
      '^(infrastructure|application/ports|application/[^/]+/ports|api/[^/]+/ports|domain)/|^client/signedFile\\.ts$|^(node:)?[a-z0-9_/]+$|node_modules',
      'Adapters implement ports; they never call use cases or the API. Files are compared as the library does.',
    ),
    only(
      'client-stands-alone',
      '^client/(?!browser/)',
      `^client/|^infrastructure/pki/kernel/|^(node:)?[a-z_/]+$|${platformPackages(['@noble/curves'])}`,
      "The relying parties' library contains no server code but the kernel, which is bundled into it.",
    ),
    only(
      'pki-kernel-stands-alone',
      '^infrastructure/pki/kernel/',
      '^infrastructure/pki/kernel/|^(node:)?[a-z_/]+$',
      'What reads and writes DER is bundled into the library: it knows no server.',
    ),
    only(
      'client-browser-entry-has-no-node',
      '^client/browser/',
      `^client/(browser/|plainLink\\.ts$)|${platformPackages(['qr'])}`,
      'The browser entry runs without Node.js, and its QR code is bundled into it.',
    ),
    only(
      'phone-is-an-http-client',
      '^apps/phone/(?!web/)',
      `^apps/phone/(?!web/)|^(node:)?[a-z_/]+$|${platformPackages(['@noble/curves', 'commander'])}`,
      'The simulated phone talks HTTP like the real app.',
    ),
    only(
      'phone-in-the-browser-has-no-node',
      '^apps/phone/(web/(?!vite)|(?!(cli|interactive|phoneStore|rsaSigning|scripted)\\.ts$)[^/]+\\.ts$)',
      `^api/pages/(commonWords|signalWords)\\.ts$|^apps/pages/icon\\.svg$|^apps/phone/(web/|(?!(cli|interactive|phoneStore|rsaSigning|scripted)\\.ts$)[^/]+\\.ts$)|${platformPackages(['@noble/curves', 'qr', 'react', 'react-dom', '@types/react', '@types/react-dom', 'vite'])}`,
      'The phone in the browser shares with the terminal only what runs without Node.js; its packages are bundled.',
    ),
    only(
      'console-knows-the-description',
      '^apps/console/src/',
      '^apps/console/src/|^#openapi$|^apps/pages/speaker\\.ts$|^api/pages/((auditActs|clientEnvironment|commonWords|texts)\\.ts$|words/)|(^|/)node_modules/',
      'The console knows the service by its OpenAPI description; it speaks answers as the widget does, and says words and names of settings that other pages and the command line say as they do.',
    ),
    only(
      'pages-have-no-node',
      '^apps/pages/',
      '^apps/pages/|^client/fileRevisions\\.ts$',
      'Scripts of the pages made on the server run in browsers; they compare files as the library does.',
    ),
    only(
      'site-shows-tables',
      '^apps/site/',
      `^apps/(site|verifier)/|^api/(problems|pages)/|^api/pages/html\\.ts$|^domain/|^(node:)?[a-z_/]+$|${platformPackages(['@dagrejs/dagre', 'markdown-it', 'minisearch', 'esbuild'])}`,
      'The documentation is made of files and of the tables it explains; no part of the service runs for it.',
    ),
    only(
      'verifier-is-a-stranger',
      '^apps/verifier/',
      `^apps/verifier/|${platformPackages(['@noble/hashes'])}`,
      'The second verifier of exports shares no code with the platform: an error of one shows in the other.',
    ),
    {
      name: 'areas-are-strangers',
      comment: 'An area of the console never imports another: what they share is in shared/.',
      severity: 'error',
      from: { path: '^apps/console/src/areas/([^/]+)/' },
      to: { path: '^apps/console/src/areas/', pathNot: '^apps/console/src/areas/$1/' },
    },
    {
      name: 'express-in-the-api',
      comment: 'One web framework, one place.',
      severity: 'error',
      from: { pathNot: '^(api/|test/bench/)' },
      to: { path: 'node_modules/(@types/)?express(/|$)' },
    },
    {
      name: 'sql-in-its-places',
      comment: 'SQL lives in the projections and the PostgreSQL adapters.',
      severity: 'error',
      from: {
        pathNot:
          '^(projections/|infrastructure/(postgres|eventstore|codec|jobs|registry|hsm)/|test/)',
      },
      to: {
        path: 'node_modules/(kysely|pg|pg-copy-streams)(/|$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'event-store-client-in-one-place',
      comment: 'Only the EventStoreDB adapter knows its client.',
      severity: 'error',
      from: { pathNot: '^(infrastructure/eventstore/|test/)' },
      to: { path: 'node_modules/@eventstore/db-client(/|$)' },
    },
    {
      name: 'queues-in-one-place',
      comment: 'Only the jobs adapter and the Redis connection know BullMQ and ioredis.',
      severity: 'error',
      from: { pathNot: '^(infrastructure/(jobs|redis)/|test/)' },
      to: { path: 'node_modules/(bullmq|ioredis)(/|$)' },
    },
    {
      name: 'loaded-where-configured',
      comment:
        'Clients of servers that are not configured, and the library of logins, are loaded when they are used.',
      severity: 'error',
      from: {
        pathNot:
          '^(main/composition/(configChecks|logCopy)|infrastructure/eventstore/eventStoreDb/prepareServer)\\.ts$|^test/',
      },
      to: {
        path: '^infrastructure/(eventstore/(eventStoreDbEventLog|copyDestinations|eventStoreDb/(scavenge|streamDeletion))|jobs/bullmqJobs|oidc/provider|redis/(client|checkRedis))\\.ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'asn1-in-one-place',
      comment: 'Certificates are built and read in the PKI adapters.',
      severity: 'error',
      from: { pathNot: '^(infrastructure/(pki|hsm|pdf)/|test/)' },
      to: { path: 'node_modules/(@peculiar|pkijs|asn1js)(/|$)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The examples are programs of relying parties: they import the library by its name.
    exclude: { path: '^(dist|\\.tamga|client/examples)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
