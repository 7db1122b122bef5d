import { useWords } from '../records/words.ts';
import { useTexts } from '../texts.ts';
import { useFormats } from '../ui/parts.tsx';
import { dependencyHelp, dependencyWords } from './dependencyWords.ts';
import { healthTexts } from './healthTexts.ts';
import { isCurrent, type System } from './isWell.ts';
import { useCause } from './causes.ts';
import { projectionWords } from './projectionWords.ts';

type Dependency = System['dependencies'][number];
type Projection = System['projections'][number];

/** A part of the service and how it is. */
export interface Finding {
  readonly key: string;
  /** Name of the part, in words. */
  readonly name: string;
  /** State in words. */
  readonly said: string;
  readonly isWell: boolean;
  /** Consequence and remedy; null while it is well. */
  readonly help: string | null;
  /** Reason that the service gives; null: none is known. */
  readonly reason: string | null;
}

/** Delay that is not worth a number, s. */
const CURRENT_S = 0.05;

/** Health of everything in words, what is not well first. */
export function useHealth(): (system: System) => readonly Finding[] {
  const dependency = useDependency();
  const projection = useProjection();
  const leftBehind = useLeftBehind();
  return (system) => {
    const all = [
      ...leftBehind(system),
      ...system.dependencies.map(dependency),
      ...system.projections.filter(isSaidHere(system)).map(projection),
    ];
    return [...all.filter(({ isWell }) => !isWell), ...all.filter(({ isWell }) => isWell)];
  };
}

/** True unless all there is to say of a projection is that rows of it wait. */
function isSaidHere({ parked }: System): (projection: Projection) => boolean {
  const waiting = new Set(parked.map((each) => each.projection));
  return (projection) => !waiting.has(projection.name) || !isCurrent(projection);
}

function useDependency() {
  const t = useTexts(healthTexts);
  const word = useWords(dependencyWords);
  const helpOn = useTexts(dependencyHelp);
  return ({ name, state, reason }: Dependency): Finding => {
    const known =
      name in dependencyHelp.keys ? (name as keyof typeof dependencyHelp.keys) : 'other';
    const isWell = state === 'up';
    const help = isWell ? null : helpOn(known);
    return { key: `dependency ${name}`, name: word(name), said: t(state), isWell, help, reason };
  };
}

function useProjection() {
  const t = useTexts(healthTexts);
  const word = useWords(projectionWords);
  const { number } = useFormats();

  function sayOf(projection: Projection) {
    const { name, state, fault, lagSeconds } = projection;
    if (state === 'FAILED') {
      return { said: t(state), help: t('failedHelp', { error: fault?.error ?? '—', id: name }) };
    }
    if (state === 'RETRYING') return { said: t(state), help: t('retryingHelp') };
    if (lagSeconds < CURRENT_S) return { said: t(state), help: null };
    const said = t('behind', { value: number(Math.round(lagSeconds * 10) / 10) });
    return { said, help: isCurrent(projection) ? null : t('behindHelp') };
  }

  return (projection: Projection): Finding => {
    const { said, help } = sayOf(projection);
    const { name } = projection;
    const isWell = help === null;
    return { key: `projection ${name}`, name: word(name), said, isWell, help, reason: null };
  };
}

/** Rows and events that wait for an operator. */
function useLeftBehind() {
  const t = useTexts(healthTexts);
  const word = useWords(projectionWords);
  const cause = useCause();
  const unwell = { isWell: false, reason: null } as const;
  return ({ parked, parkedEvents, deadLetters }: System): readonly Finding[] => [
    ...parked.map(({ projection, rows }) => ({
      ...unwell,
      reason: `${cause(parkedEvents.find((each) => each.projection === projection)?.error ?? null)}.`,
      key: `parked ${projection}`,
      name: word(projection),
      said: t('parked', { count: rows }),
      help: t('parkedHelp'),
    })),
    ...deadLetters.map(({ reactor, events }) => ({
      ...unwell,
      key: `reactor ${reactor}`,
      name: t('reactor', { id: reactor }),
      said: t('deadLetters', { count: events }),
      help: t('deadLettersHelp', { id: reactor }),
    })),
  ];
}
