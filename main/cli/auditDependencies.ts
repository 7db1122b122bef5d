import { execFile } from 'node:child_process';
import { z } from 'zod';

/** Result of auditing what an installation for production depends on. */
export interface DependencyAudit {
  readonly result: 'passed' | 'failed' | 'skipped';
  /** A sentence for whoever runs `./tamga check`. */
  readonly message: string;
}

const report = z.object({
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string() })),
});

/** Report of an audit that the registry did not make. */
const fault = z.object({
  message: z.string().optional(),
  error: z.object({ code: z.string().nullish(), summary: z.string().nullish() }).optional(),
});

/** Faults of the installation itself, which no registry would mend. */
const ownFaults: readonly string[] = ['ENOLOCK', 'EUSAGE'];

const failing: readonly string[] = ['high', 'critical'];

/**
 * Judges a report of `npm audit --json`: findings of high or critical severity fail, a registry that does not answer the
 * question is skipped with its reason.
 *
 * @param output standard output of npm, whatever it is
 */
export function judgeAudit(output: string): DependencyAudit {
  const given = parsed(output);
  const { data } = report.safeParse(given);
  if (data !== undefined) return judgeFindings(data.vulnerabilities);
  const { message, error } = fault.safeParse(given).data ?? {};
  const reason = [message, error?.summary].find((text) => Boolean(text)) ?? 'npm said nothing';
  return ownFaults.includes(error?.code ?? '')
    ? { result: 'failed', message: `The dependencies cannot be audited: ${reason}.` }
    : { result: 'skipped', message: `Skipped, because the registry does not answer: ${reason}.` };
}

function judgeFindings(found: Readonly<Record<string, { severity: string }>>): DependencyAudit {
  const findings = Object.entries(found);
  const grave = findings.filter(([, { severity }]) => failing.includes(severity));
  if (grave.length === 0) {
    return { result: 'passed', message: `${findings.length} findings, none of them high.` };
  }
  const named = grave.map(([name, { severity }]) => `${name} (${severity})`).join(', ');
  return { result: 'failed', message: `Update or replace: ${named}. Details: npm audit.` };
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return null;
  }
}

/** Asks the registry once. */
export async function auditDependencies(): Promise<DependencyAudit> {
  const parameters = [
    'audit',
    '--omit=dev',
    '--json',
    '--fetch-retries=0',
    '--fetch-timeout=20000',
  ];
  const output = await new Promise<string>((resolve) => {
    execFile('npm', parameters, { timeout: 60_000, maxBuffer: 2 ** 26 }, (_error, stdout) =>
      // The exit code repeats what the report says.
      resolve(stdout),
    );
  });
  return judgeAudit(output);
}
