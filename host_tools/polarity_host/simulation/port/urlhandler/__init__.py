"""pyserial URL handlers of this project: `sim://` opens the digital twin as a port."""
