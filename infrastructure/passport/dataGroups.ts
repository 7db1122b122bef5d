import { readDataObjects, readTemplate } from './dataObjects.ts';
import { orRejected, PassportRejected } from './rejection.ts';

/** Tags of Doc 9303-10 tables 38, 39 and 67. */
const tag = { dg1: 0x61, mrz: 0x5f1f, dg11: 0x6b, personalNumber: 0x5f10 } as const;

/** The machine-readable zone in EF.DG1, without line breaks. @throws PassportRejected DATA_GROUP_MALFORMED */
export function zoneOfDataGroup1(file: Buffer): string {
  return orRejected('DATA_GROUP_MALFORMED', 'DG1', () => {
    const zone = readTemplate(readTemplate(file, tag.dg1), tag.mrz);
    return zone.toString('latin1');
  });
}

/**
 * The personal number in EF.DG11.
 *
 * @returns null when the State stores none there
 * @throws PassportRejected DATA_GROUP_MALFORMED
 */
export function personalNumberOfDataGroup11(file: Buffer): string | null {
  return orRejected('DATA_GROUP_MALFORMED', 'DG11', () => {
    const details = readDataObjects(readTemplate(file, tag.dg11));
    const found = details.find((object) => object.tag === tag.personalNumber)?.content;
    if (found === undefined) return null;
    const text = new TextDecoder('utf-8', { fatal: true }).decode(found);
    if (text.length > LONGEST_PERSONAL_NUMBER)
      throw new PassportRejected('DATA_GROUP_MALFORMED', 'DG11');
    return text.replaceAll('<', ' ').trim().normalize('NFC');
  });
}

/** Doc 9303-10 table 67 sets no maximum; no State's number is longer. */
const LONGEST_PERSONAL_NUMBER = 99;
