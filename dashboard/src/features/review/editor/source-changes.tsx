/** What saving would change in the source, before it is saved. */
import { Button, Modal } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { lazyComponent, LazyPart } from "../../../shared/lazy-part.tsx";
import { BlockSkeleton } from "../../../shared/skeletons.tsx";

const DiffView = lazyComponent(() => import("../compare/diff-view.tsx"), "DiffView");

interface SourceChangesProps {
  saved: string;
  text: string;
}

export function SourceChanges({ saved, text }: SourceChangesProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  if (saved === text && !isOpen) return null;
  return (
    <>
      <Button variant="subtle" onClick={() => setOpen(true)} onPointerEnter={() => void DiffView.preload()}>
        Source changes
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Source changes" size="xl">
        {isOpen && (
          <LazyPart fallback={<BlockSkeleton height={240} />}>
            <DiffView before={saved} after={text} names={["Saved", "Now"]} isSource />
          </LazyPart>
        )}
      </Modal>
    </>
  );
}
