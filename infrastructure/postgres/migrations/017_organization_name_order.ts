import { expand } from './statements.ts';

const LETTERS = 'абвгдеёжзийклмноөпрстуүфхцчшщъыьэюя';
const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const ORDERED = Array.from(LETTERS, (_, place) => String.fromCodePoint(0xe000 + place)).join('');
const ALL = LETTERS + LATIN;

/** Names of organizations in the order of the alphabet, as projections/engine/nameOrder.ts sorts by them. */
export const organizationNameOrder = expand([
  `create index organization_view_name_order on organization_view (
    (translate(name, '${ALL}${ALL.toUpperCase()}', '${ORDERED}${LATIN}${ORDERED}${LATIN}') collate "C"),
    register
  )`,
]);
