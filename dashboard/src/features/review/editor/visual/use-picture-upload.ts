import { useState } from "react";
import { fetchRaw } from "../../../../api/client.ts";
import { useAnnounce } from "../../../../shared/announce.tsx";
import { useWebsite } from "../../../../shared/session.tsx";

interface UploadedPicture {
  url: string;
  alt: string | null;
}

/** Uploads the first of the files to the website's pictures. */
export function usePictureUpload(onUploaded: (picture: UploadedPicture) => void) {
  const website = useWebsite();
  const announce = useAnnounce();
  const [error, setError] = useState<unknown>(null);

  async function upload([file]: readonly File[]): Promise<void> {
    if (file === undefined) return;
    setError(null);
    announce("Uploading the picture.");
    try {
      const init = { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file };
      const reply = await fetchRaw("/assets", init, { website_id: website.id, name: file.name });
      onUploaded((await reply.json()) as UploadedPicture);
    } catch (failure) {
      setError(failure);
    }
  }

  return { upload: (files: readonly File[]) => void upload(files), error };
}
