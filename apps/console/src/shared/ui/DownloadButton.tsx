import { Button, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { asProblem, problemIn } from '../api/problem.ts';
import { sharedTexts } from '../sharedTexts.ts';
import { useTexts } from '../texts.ts';
import { useFormats } from './parts.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';

/** Saves a file through the browser. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** File name of a response. */
function nameIn(response: Response): string | undefined {
  return /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
}

/**
 * Reads a file completely. @param onBytes called with the bytes received so far
 *
 * @throws ApiProblem
 */
async function fetchFile(address: string, onBytes: (bytes: number) => void) {
  const response = await fetch(address, { credentials: 'same-origin' });
  if (!response.ok || response.body === null) {
    throw problemIn(response, await response.json().catch(() => null));
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    bytes += part.value.length;
    onBytes(bytes);
  }
  const type = response.headers.get('content-type') ?? 'application/octet-stream';
  return { content: new Blob(chunks, { type }), name: nameIn(response), bytes };
}

/** Downloads from the API with progress; a truncated file is an error and not saved. */
export function DownloadButton({
  href,
  fileName,
  children,
}: {
  /** Path and query of the API. */
  readonly href: string;
  /** Fallback of the response's file name. */
  readonly fileName: string;
  readonly children: string;
}) {
  const t = useTexts(sharedTexts);
  const { size } = useFormats();
  const [bytes, setBytes] = useState<number | null>(null);
  const [isDone, setDone] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);

  async function download() {
    setProblem(null);
    setDone(false);
    setBytes(0);
    try {
      const file = await fetchFile(href, setBytes);
      saveFile(file.content, file.name ?? fileName);
      setDone(true);
    } catch (error) {
      setProblem(asProblem(error));
      setBytes(null);
    }
  }

  return (
    <Stack gap={4}>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        loading={bytes !== null && !isDone}
        onClick={() => void download()}
      >
        {children}
      </Button>
      {bytes !== null && (
        <Text size="xs" c="dimmed" role="status">
          {t(isDone ? 'downloaded' : 'downloading', { size: size(bytes) })}
        </Text>
      )}
      {problem !== null && <ProblemAlert error={problem} />}
    </Stack>
  );
}
