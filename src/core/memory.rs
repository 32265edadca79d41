//! Large blocks of memory for tables that are accessed at random.

use std::alloc::{self, Layout};
use std::ptr::NonNull;

/// Size of a huge page; larger blocks begin at a multiple of it.
const HUGE_PAGE: usize = 2 << 20;
/// Where smaller blocks begin: at a cache line.
const LINE: usize = 64;

/// A block of memory that begins as zeros, on huge pages where Linux has them: random
/// access then misses the processor's address cache far less often.
///
/// Nothing is touched when it is made: pages are claimed as they are written.
pub(crate) struct ZeroedMemory {
    start: NonNull<u8>,
    allocation: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it owns the allocation and gives no access to what is in it.
unsafe impl Send for ZeroedMemory {}
// SAFETY: as above.
unsafe impl Sync for ZeroedMemory {}

impl ZeroedMemory {
    /// At least so many bytes, or `None` when there is not so much memory.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let align = if bytes >= HUGE_PAGE { HUGE_PAGE } else { LINE };
        // The alignment is made by hand: asked for a large one, the allocator would zero
        // the memory itself and thereby claim small pages for all of it.
        let layout = Layout::from_size_align(bytes.checked_add(align)?, 16).ok()?;
        // SAFETY: the layout's size is not zero.
        let allocation = NonNull::new(unsafe { alloc::alloc_zeroed(layout) })?;
        let shift = allocation.as_ptr().align_offset(align);
        // SAFETY: `shift` is below `align`, which was added to the size.
        let start = unsafe { allocation.add(shift) };
        advise_huge_pages(start, bytes);
        Some(ZeroedMemory {
            start,
            allocation,
            layout,
        })
    }

    /// The first byte, at a multiple of 64.
    #[inline]
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for ZeroedMemory {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { alloc::dealloc(self.allocation.as_ptr(), self.layout) };
    }
}

fn advise_huge_pages(start: NonNull<u8>, bytes: usize) {
    #[cfg(target_os = "linux")]
    if bytes >= HUGE_PAGE {
        let whole = bytes & !(HUGE_PAGE - 1);
        // SAFETY: the range lies in our allocation and starts on a page; the advice does
        // not change what the memory holds. A refusal only costs speed.
        unsafe { libc::madvise(start.as_ptr().cast(), whole, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}
