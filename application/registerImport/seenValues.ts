/** Values met before. */
export interface SeenValues {
  has(value: string | number): boolean;
  add(value: string | number): void;
}

const EMPTY = -1;
const FIRST_SLOTS = 1024;

/**
 * Remembers values: texts in a set, whole numbers from 0 to 2^53 in a table of 8 bytes a slot, at most half full; a
 * `Set` takes some 45 bytes a number.
 */
export function createSeenValues(): SeenValues {
  const texts = new Set<string>();
  let slots = new Float64Array(FIRST_SLOTS).fill(EMPTY);
  let count = 0;

  /** Finds the place where the number is, or would be. */
  function slotOf(value: number): number {
    const mask = slots.length - 1;
    let slot = hashOf(value) & mask;
    while (slots[slot] !== EMPTY && slots[slot] !== value) slot = (slot + 1) & mask;
    return slot;
  }

  function grow(): void {
    const before = slots;
    slots = new Float64Array(before.length * 2).fill(EMPTY);
    for (const value of before) if (value !== EMPTY) slots[slotOf(value)] = value;
  }

  function addNumber(value: number): void {
    const slot = slotOf(value);
    if (slots[slot] === value) return;
    slots[slot] = value;
    count += 1;
    if (count * 2 > slots.length) grow();
  }

  return {
    has: (value) => (typeof value === 'string' ? texts.has(value) : slots[slotOf(value)] === value),
    add: (value) => {
      if (typeof value === 'string') texts.add(value);
      else addNumber(value);
    },
  };
}

/** Spreads numbers that follow one another, by the finalizer of MurmurHash3. */
function hashOf(value: number): number {
  let hash = (value >>> 0) ^ Math.imul(Math.floor(value / 2 ** 32), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
