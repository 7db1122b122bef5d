import { X509Certificate } from 'node:crypto';
import type { ServicePurpose } from '../../domain/certificate/events.ts';
import type { Readiness } from './askReadiness.ts';
import { certificationOf } from '../../application/certificate/serviceProfiles.ts';
import { type DrillReport, faultsOf } from '../drill/report.ts';
import type { InstallationState } from '../../infrastructure/postgres/installationState.ts';

/** One line of `./tamga doctor`. */
export interface Finding {
  /** Red: something does not work, or is about to; yellow: somebody should look. */
  readonly colour: 'green' | 'yellow' | 'red';
  readonly about: string;
  /** Finding and, unless green, what to do. */
  readonly text: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GB = 1e9;
/** Age after which a daily backup was left out, ms. */
const BACKUP_MS = 26 * HOUR_MS;
/** Age after which a drill is due again, ms: a quarter. */
const DRILL_MS = 92 * DAY_MS;
/** Positions that a subscriber catches up within seconds. */
const BEHIND = 1000;
/** Age of an event, s, at which whoever follows the log has seen it. */
const BEHIND_SECONDS = 60;

const finding =
  (about: string) =>
  (colour: Finding['colour'], text: string): Finding => ({ colour, about, text });

/** @param version of Node.js, such as `24.1.0` */
export function judgeNode(version: string): Finding {
  const node = finding('Node.js');
  return Number.parseInt(version, 10) >= 24
    ? node('green', version)
    : node('red', `${version}: use Node.js 24 or newer, which ./tamga installs`);
}

/** @param offsetMs milliseconds this clock is ahead; null: the server gave no answer */
export function judgeClock(server: string, offsetMs: number | null): Finding {
  const clock = finding('clock');
  if (offsetMs === null) {
    return clock(
      'yellow',
      `${server} did not answer: allow UDP port 123, or use --ntp to name a server that this machine can reach`,
    );
  }
  const seconds = `${Math.abs(offsetMs / 1000).toFixed(1)} s ${offsetMs < 0 ? 'behind' : 'ahead of'} ${server}`;
  const size = Math.abs(offsetMs);
  if (size < 1000) return clock('green', seconds);
  return clock(
    size < 5000 ? 'yellow' : 'red',
    `${seconds}: synchronize it with chrony or systemd-timesyncd; ${
      size < 5000
        ? 'until then the built-in timestamping authority issues nothing'
        : 'beyond 5 s a process answers no requests'
    }`,
  );
}

/** @param bytes of the file system, and those that are free */
export function judgeDisk(
  path: string,
  bytes: { readonly all: number; readonly free: number },
): Finding {
  const disk = finding(`disk ${path}`);
  const share = bytes.all === 0 ? 1 : bytes.free / bytes.all;
  const text = `${(bytes.free / GB).toFixed(1)} GB free of ${(bytes.all / GB).toFixed(1)}`;
  if (share < 0.05 || bytes.free < GB / 2) return disk('red', `${text}: free up space now`);
  return share < 0.15
    ? disk('yellow', `${text}: free up space or enlarge the disk`)
    : disk('green', text);
}

export function judgeCertificate(name: string, end: Date, now: Date): Finding {
  const certificate = finding(`certificate ${name}`);
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  const day = end.toISOString().slice(0, 10);
  if (days < 0) return certificate('red', `expired on ${day}: replace it`);
  return days < 30
    ? certificate('yellow', `expires on ${day}, in ${days} days: replace it before then`)
    : certificate('green', `ends ${day}`);
}

/**
 * Judges the certificate of an authority, which bounds those that it issues.
 *
 * @param successor a later generation that is installed; null: none
 * @param years validity of citizens' certificates
 */
export function judgeAuthority(
  { name, end, successor }: AuthorityEnd,
  years: number,
  now: Date,
): Finding {
  const about = `of the ${name} CA`;
  const certificate = finding(`certificate ${about}`);
  const day = end.toISOString().slice(0, 10);
  if (successor !== null) {
    const ends = end < now ? 'ended' : 'ends';
    return certificate('green', `${ends} ${day}; ${successor} comes after it`);
  }
  const days = (end.getTime() - now.getTime()) / DAY_MS;
  if (name === 'root' || days < 30 || days >= years * 366) return judgeCertificate(about, end, now);
  return certificate(
    'yellow',
    `expires on ${day}, which limits the certificates it issues: begin its next generation (docs/rotation.md, Authorities)`,
  );
}

/** The end of an authority's certificate. */
export interface AuthorityEnd {
  readonly name: string;
  readonly end: Date;
  readonly successor: string | null;
}

/** @param revokedAt by the root's newest list */
export function judgeRevokedAuthority(name: string, revokedAt: Date): Finding {
  return finding(`certificate ${name}`)(
    'red',
    `was revoked by the root at ${revokedAt.toISOString()}: it issues nothing any more, and no certificate it issued is valid (docs/rotation.md, Authorities)`,
  );
}

/** False of the responder of a CA that ended: nobody asks it any more, and it gets no certificate. */
function isNeeded(
  purpose: ServicePurpose,
  { authorities }: Pick<InstallationState, 'authorities'>,
  now: Date,
): boolean {
  const { answersFor } = certificationOf(purpose);
  const ca = authorities.find(({ name }) => name === answersFor);
  return ca === undefined || new Date(new X509Certificate(ca.certificate).validTo) > now;
}

/** Judges the certificate of one of the platform's services, which the service itself replaces in time. */
function judgeService(
  { purpose, notAfter }: InstallationState['services'][number],
  now: Date,
): Finding {
  const { commonName, renewMs } = certificationOf(purpose);
  const service = finding(`certificate of the ${commonName}`);
  const day = notAfter.toISOString().slice(0, 10);
  const leftMs = notAfter.getTime() - now.getTime();
  const how = 'check that an api and a worker run, which replace it, and read their logs';
  if (leftMs < 0) return service('red', `ended ${day}: ${how}`);
  return leftMs < renewMs / 2
    ? service('yellow', `expires on ${day} and should have been replaced by now: ${how}`)
    : service('green', `ends ${day}`);
}

/** @param madeAt of the last backup; null: no directory was named, and none was noted */
export function judgeBackup(madeAt: Date | null, now: Date): Finding {
  const backup = finding('last backup');
  if (madeAt === null) {
    return backup(
      'yellow',
      'none is known: make one with ./tamga backup (docs/operations.md, Backup), or name the directory of the backups with --backup',
    );
  }
  const age = now.getTime() - madeAt.getTime();
  const text = `made ${madeAt.toISOString()}`;
  if (age <= BACKUP_MS) return backup('green', text);
  return backup(
    age > 7 * DAY_MS ? 'red' : 'yellow',
    `${text}, ${Math.floor(age / DAY_MS)} days ago: make a backup every day`,
  );
}

/** @param held null: none was on this machine */
export function judgeDrill(held: DrillReport | null, now: Date): Finding {
  const drill = finding('last drill');
  const how = 'run one with ./tamga drill (docs/failures.md)';
  if (held === null) return drill('yellow', `none was run on this machine: ${how}`);
  const text = `held ${held.at}`;
  const faults = faultsOf(held);
  if (faults.length > 0) return drill('red', `${text}: ${faults.join('; ')}`);
  const isOld = now.getTime() - Date.parse(held.at) > DRILL_MS;
  return isOld ? drill('yellow', `${text}: ${how}`) : drill('green', text);
}

/** @param state null before the first migration */
export function judgeInstallation(
  state: InstallationState | null,
  logIsHere: boolean,
  now: Date,
): readonly Finding[] {
  const schema = finding('database');
  if (state === null) return [schema('yellow', 'is empty: run ./tamga migrate')];
  return [
    schema('green', `${(state.databaseBytes / 1e6).toFixed(0)} MB`),
    ...state.lists.map((list) => judgeList(list, now)),
    ...(state.lists.length === 0
      ? [finding('revocation lists')('yellow', 'none published yet: start a worker')]
      : []),
    ...state.services
      .filter(({ purpose }) => isNeeded(purpose, state, now))
      .map((service) => judgeService(service, now)),
    judgeTree(state, now),
    ...judgeBehind(state, logIsHere),
  ];
}

function judgeList(
  { authority, thisUpdate, nextUpdate }: InstallationState['lists'][number],
  now: Date,
): Finding {
  const list = finding(`revocation list ${authority}`);
  const age = now.getTime() - thisUpdate.getTime();
  const text = `of ${thisUpdate.toISOString()}, good until ${nextUpdate.toISOString()}`;
  const or = authority === 'root' ? ', or make it by a ceremony (docs/ceremony.md)' : '';
  if (nextUpdate <= now) {
    return list('red', `${text}: expired, so nobody may accept it; start a worker${or}`);
  }
  // A worker publishes anew after a quarter.
  return age > (nextUpdate.getTime() - thisUpdate.getTime()) / 2
    ? list(
        'yellow',
        `${text}: the next one is late; check that a worker runs, and read its log${or}`,
      )
    : list('green', text);
}

function judgeTree({ treeHead, treeSize }: InstallationState, now: Date): Finding {
  const tree = finding('tree head');
  if (treeHead === null) return tree('yellow', 'none signed yet: start a worker');
  const text = `signed ${treeHead.signedAt.toISOString()} over ${treeHead.size} events`;
  const isLate = treeSize > treeHead.size && now.getTime() - treeHead.signedAt.getTime() > DAY_MS;
  return isLate
    ? tree(
        'yellow',
        `${text}, ${treeSize - treeHead.size} newer events are not signed: check that a worker runs, and read its log`,
      )
    : tree('green', text);
}

function judgeBehind({ behind }: InstallationState, logIsHere: boolean): readonly Finding[] {
  const lag = finding('read models and reactors');
  const late = behind.filter(
    ({ positions, seconds }) => positions > BEHIND || (seconds ?? 0) > BEHIND_SECONDS,
  );
  const than = logIsHere ? 'the log' : 'the most advanced one';
  const shown = (positions: number, seconds: number | null) =>
    `${positions} positions${seconds === null ? '' : `, ${seconds.toFixed(1)} s`} behind ${than}`;
  if (late.length === 0) {
    const most = Math.max(0, ...behind.map(({ positions }) => positions));
    const oldest = behind.reduce<number | null>(
      (age, { seconds }) => (seconds === null ? age : Math.max(age ?? 0, seconds)),
      null,
    );
    return [lag('green', `at most ${shown(most, oldest)}`)];
  }
  return late.map(({ name, positions, seconds }) =>
    finding(`subscriber ${name}`)(
      'yellow',
      `${shown(positions, seconds)}: check that a projector and a worker run (./tamga projection list, reactor list)`,
    ),
  );
}

/**
 * Judges what a running process says of itself.
 *
 * @param state null: nothing answers
 */
export function judgeReadiness(address: string, state: Readiness | null): readonly Finding[] {
  const service = finding(`service ${address}`);
  if (state === null) {
    return [
      service(
        'yellow',
        'nothing answers: correct if the service is stopped or runs on another machine',
      ),
    ];
  }
  const { status, dependencies, reasons, projections } = state;
  const faults = Object.entries(dependencies).flatMap(([name, is]) =>
    is === 'up' ? [] : [`${name} is ${is}${name in reasons ? ` (${reasons[name] ?? ''})` : ''}`],
  );
  const stopped = projections.flatMap(({ name, running }) => (running ? [] : [name]));
  const all = [...faults, ...(stopped.length > 0 ? [`not projected: ${stopped.join(', ')}`] : [])];
  const lags = projections.map(({ name, lagSeconds }) => ({ name, lagSeconds }));
  const behind = lags.filter(({ lagSeconds }) => lagSeconds > BEHIND_SECONDS);
  const most = Math.max(0, ...lags.map(({ lagSeconds }) => lagSeconds));
  const named = behind.map(({ name, lagSeconds }) => `${name} ${lagSeconds.toFixed(0)} s`);
  return [
    status === 'ready'
      ? service('green', 'ready')
      : service(
          status === 'degraded' ? 'yellow' : 'red',
          `${status}: ${all.length === 0 ? 'something needs an operator: ./tamga projection list, reactor list' : `${all.join('; ')} (docs/operations.md)`}`,
        ),
    ...(projections.length === 0
      ? []
      : [
          behind.length === 0
            ? finding('projections')('green', `at most ${most.toFixed(1)} s behind the log`)
            : finding('projections')(
                'yellow',
                `behind the log: ${named.join(', ')}: check that a projector runs, and read its log`,
              ),
        ]),
  ];
}
