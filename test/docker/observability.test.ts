import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { isInstalled } from '../../main/cli/test.ts';
import { createMetrics } from '../../infrastructure/telemetry/metrics.ts';
import { run } from '../support/programs/tools.ts';

const FOLDER = 'docker/observability';
const rules = readFileSync(`${FOLDER}/rules.yaml`, 'utf8');
const dashboard = readFileSync(`${FOLDER}/dashboard.json`, 'utf8');
const { panels } = JSON.parse(dashboard) as {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
};
const recorded = new Set(Array.from(rules.matchAll(/- record: (\S+)/g), ([, name = '']) => name));
const ofRules = Array.from(
  rules.matchAll(/expr: (?:\|-\n((?: {10}.*\n)+)|(.*)\n)/g),
  ([, block = '', line = '']) => block + line,
);
const expressions = [
  ...ofRules,
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
];

/** Names of series in an expression of PromQL: words that are neither called nor labels, in or after braces. */
function seriesIn(expression: string): readonly string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without|on|ignoring|group_left)\s*\([^)]*\)/g, '');
  return Array.from(bare.matchAll(/[a-z_][\w:]*(?!\w*\s*\()/gi), ([name]) => name).filter(
    (name) =>
      !['and', 'or', 'unless'].includes(name) && !new RegExp(`\\b${name}\\s*\\(`).test(bare),
  );
}

describe('Dashboards and rules', () => {
  it('name series that the service gives, or that a rule records', async () => {
    const metrics = createMetrics();
    const { text } = await metrics.expose();
    metrics.stop();
    const given = new Set(Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name));
    const named = [...new Set(expressions.flatMap(seriesIn))];
    expect(named).to.include.members(['tamga:append:p99_rate5m', 'projection_lag_seconds']);
    const unknown = named.filter(
      (name) =>
        !given.has(name.replace(/_(bucket|sum|count)$/, '')) &&
        !given.has(name) &&
        !recorded.has(name),
    );
    expect(unknown).to.deep.equal([]);
  });

  it('name routes that there are', () => {
    const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: object };
    const patterns = Array.from(rules.matchAll(/http_route=~"([^"]*)"/g), ([, text = '']) => text);
    expect(patterns).not.to.be.empty;
    for (const pattern of patterns) {
      const route = new RegExp(`^${pattern}$`);
      expect(
        Object.keys(paths).some((path) => route.test(path)),
        pattern,
      ).to.equal(true);
    }
  });

  it('are rules that Prometheus takes, and that fire on what they are for', async function () {
    if (!isInstalled('promtool')) this.skip();
    for (const command of ['check', 'test']) {
      const file = command === 'check' ? 'rules.yaml' : 'rules.test.yaml';
      const { code, output } = await run('promtool', command, 'rules', `${FOLDER}/${file}`);
      expect(code, output).to.equal(0);
      expect(output).to.include('SUCCESS');
    }
  });

  it('each alert says what to do', () => {
    const alerts = rules.split('- alert: ').slice(1);
    expect(alerts.length).to.be.greaterThan(8);
    for (const alert of alerts) {
      expect(alert).to.match(/severity: (page|ticket)/);
      expect(alert).to.match(/summary: \S/);
      expect(alert).to.match(/action: \S/);
    }
  });
});
