import { Button, Text } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { asProblem } from '../api/problem.ts';
import type { ListPart } from '../api/useRead.ts';
import { tableOf, csvOf } from '../csv.ts';
import { NamesOf } from '../names.tsx';
import { useTexts } from '../texts.ts';
import type { Column, Part } from './columns.ts';
import { saveFile } from './DownloadButton.tsx';
import { exportTexts } from './exportTexts.ts';
import { ProblemAlert } from './ProblemAlert.tsx';

/** Rows read at once: the largest page of the API. */
const READ_ROWS = 200;
/** Rows of an export at most: they are made in the browser. The audit has one of its own, which is streamed. */
const MOST_ROWS = 5000;

/** Cells as they are shown. */
type Cells = readonly (readonly string[])[];

/** A part of the list that is drawn to be read. */
interface Drawing<Row> {
  readonly part: Part<Row>;
  readonly onDrawn: (cells: Cells) => void;
}

/** A form of the file: what it begins with, and what its name ends with. */
interface Variant {
  readonly beginning: string;
  readonly ending: string;
}

const plain: Variant = { beginning: '', ending: '' };
/** Excel takes a file for UTF-8 only with a byte-order mark. */
const forExcel: Variant = { beginning: '\uFEFF', ending: ' (Excel)' };

/** Saves a list with the filters it has as CSV: what the screen says of each row, in its language, and the codes of the API. */
export function ExportButtons<Row>({
  label,
  columns: shown,
  readPart,
}: {
  /** Name of the list. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly readPart: (part: ListPart) => Promise<Part<Row>>;
}) {
  const t = useTexts(exportTexts);
  const columns = shown.filter(({ isActions }) => isActions !== true);
  const [drawing, setDrawing] = useState<Drawing<Row> | null>(null);
  const [said, setSaid] = useState<ReactNode>(null);
  const [isUnderWay, setUnderWay] = useState(false);

  const draw = (part: Part<Row>) =>
    new Promise<Cells>((onDrawn) => {
      setDrawing({ part, onDrawn });
    });

  async function save({ beginning, ending }: Variant) {
    const rows: Row[] = [];
    const cells: Cells[number][] = [];
    let snapshot: string | undefined;
    for (let isWhole = false; !isWhole && rows.length < MOST_ROWS;) {
      const part = await readPart({
        limit: READ_ROWS,
        offset: rows.length,
        ...(snapshot !== undefined && { snapshot }),
      });
      rows.push(...part.items);
      cells.push(...(await draw(part)));
      snapshot = part.snapshot ?? undefined;
      isWhole = part.items.length < READ_ROWS;
      setSaid(t('exporting', { count: rows.length }));
    }
    const headers = columns.map(({ header }) => header);
    const csv = beginning + csvOf(tableOf({ headers, cells }, rows));
    saveFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), `${label}${ending}.csv`);
    setSaid(t(rows.length < MOST_ROWS ? 'exported' : 'exportedPart', { count: rows.length }));
  }

  function start(variant: Variant) {
    setUnderWay(true);
    setSaid(null);
    save(variant)
      .catch((error: unknown) => setSaid(<ProblemAlert error={asProblem(error)} />))
      .finally(() => {
        setDrawing(null);
        setUnderWay(false);
      });
  }

  const look = { variant: 'default', size: 'xs', disabled: isUnderWay } as const;
  return (
    <>
      <Text size="xs" c="dimmed" role="status" component="div">
        {said}
      </Text>
      <div role="group" aria-label={t('export')}>
        <Button.Group>
          <Button {...look} onClick={() => start(plain)}>
            {t('exportCsv')}
          </Button>
          <Button {...look} onClick={() => start(forExcel)}>
            {t('exportExcel')}
          </Button>
        </Button.Group>
      </div>
      {drawing !== null && <Drawn columns={columns} {...drawing} />}
    </>
  );
}

/** Draws cells beside the page, with everything they say of names and words, and reads them. */
function Drawn<Row>({
  columns,
  part,
  onDrawn,
}: Drawing<Row> & { readonly columns: readonly Column<Row>[] }) {
  const [table] = useState(() => document.createElement('table'));
  useLayoutEffect(() => {
    onDrawn([...table.rows].map((row) => [...row.cells].map(textOf)));
  }, [table, part, onDrawn]);
  return createPortal(
    <NamesOf answer={part}>
      <tbody>
        {part.items.map((row, index) => (
          <tr key={index}>
            {columns.map(({ key, cell }) => (
              <td key={key}>{cell(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </NamesOf>,
    table,
  );
}

/** Text of a cell: its lines apart, times exactly as the API has them, and no word that only its reader understands. */
function textOf(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLTableCellElement;
  for (const time of copy.querySelectorAll('time')) time.textContent = time.dateTime;
  for (const own of copy.querySelectorAll<HTMLElement>('[data-in-files]')) {
    own.textContent = own.dataset['inFiles'] ?? '';
  }
  for (const line of copy.querySelectorAll('.mantine-Stack-root > :not(:last-child), br')) {
    line.after('; ');
  }
  return copy.textContent.trim();
}
